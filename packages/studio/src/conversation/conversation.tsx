import { ArrowDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { AnswersProvider } from '../approvals/answers.tsx'
import { Button } from '../design/button.tsx'
import { useView } from '../store/page-context.ts'
import { Transcript } from './transcript.tsx'
import { useStickToEnd } from './use-stick-to-end.ts'

/** The conversation, following its end; `empty` stands there until something was said, `footer` below. */
export function Conversation(props: { readonly empty?: ReactNode; readonly footer?: ReactNode }): ReactNode {
  const view = useView()
  const { ref, isAtEnd, onScroll, toEnd } = useStickToEnd(view)
  return (
    <AnswersProvider>
      <div className="cw-conversation">
        <div className="cw-conversation">
          <div
            className="cw-scroll cw-focusable"
            ref={ref}
            onScroll={onScroll}
            role="log"
            aria-label="Conversation"
            aria-live="off"
            tabIndex={0}
          >
            <div className="cw-column">{view.roots.length === 0 ? props.empty : <Transcript />}</div>
          </div>
          {!isAtEnd && (
            <Button className="cw-to-end" size="small" onClick={toEnd}>
              <ArrowDown size={13} aria-hidden />
              Newest
            </Button>
          )}
        </div>
        {props.footer}
      </div>
    </AnswersProvider>
  )
}
