import type { PendingInterrupt } from '@clewline/core/view'
import { Hand } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../design/badge.tsx'
import { Button } from '../design/button.tsx'
import { usePage, useView } from '../store/page-context.ts'
import { useAnswers } from './answers.tsx'
import { AskChoice } from './ask-choice.tsx'
import { AskReview } from './ask-review.tsx'
import { AskText } from './ask-text.tsx'
import { questionOf } from './review.ts'

/** A question of an agent: by interrupt id, so that two that look alike never mix, also inside sub-agents. */
export function InterruptCard({ interrupt }: { readonly interrupt: PendingInterrupt }): ReactNode {
  const page = usePage()
  const answers = useAnswers()
  const open = useView().interrupts.length
  const question = questionOf(interrupt.value)
  const isReady = answers.ready.has(interrupt.id)
  return (
    <section className="cw-interrupt" aria-label={`${interrupt.agent} asks`} data-interrupt={interrupt.id}>
      <header>
        <Hand size={14} aria-hidden />
        <strong>{interrupt.agent} waits for you</strong>
        {isReady && <Badge tone="ok">answered</Badge>}
        <button type="button" className="cw-link cw-focusable" onClick={() => page.select(interrupt.call_id)}>
          Show where
        </button>
      </header>
      {page.actions === undefined ? (
        <p className="cw-hint">This is a recording: it shows what was asked, and cannot answer.</p>
      ) : isReady ? (
        <div className="cw-dialog-actions">
          <Button
            size="small"
            look="quiet"
            disabled={answers.isSending}
            onClick={() => answers.give(interrupt.id, null)}
          >
            Change
          </Button>
          {open > 1 && (
            <Button size="small" disabled={answers.isSending} onClick={answers.send}>
              Send {answers.ready.size} of {open} now
            </Button>
          )}
        </div>
      ) : question.asks === 'review' ? (
        <AskReview
          actions={question.actions}
          isBusy={answers.isSending}
          onAnswer={(value) => answers.give(interrupt.id, value)}
        />
      ) : question.asks === 'choice' ? (
        <AskChoice
          question={question}
          isBusy={answers.isSending}
          onAnswer={(value) => answers.give(interrupt.id, value)}
        />
      ) : (
        <AskText
          question={question}
          isBusy={answers.isSending}
          onAnswer={(value) => answers.give(interrupt.id, value)}
        />
      )}
      {answers.problem !== '' && (
        <p className="cw-problem" role="alert">
          {answers.problem}
        </p>
      )}
    </section>
  )
}
