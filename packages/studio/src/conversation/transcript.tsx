import { transcript, type TranscriptItem } from '@skein/core/view'
import { memo, useMemo, useState, type ReactNode } from 'react'
import { InterruptCard } from '../approvals/interrupt-card.tsx'
import { Button } from '../design/button.tsx'
import { useView } from '../store/page-context.ts'
import { AssistantMessage } from './assistant-message.tsx'
import { ErrorCard } from './error-card.tsx'
import { SubagentCard } from './subagent-card.tsx'
import { ToolCard } from './tool-card.tsx'
import { UserMessage } from './user-message.tsx'

// Scrubbing draws all of them anew, in less than the blink of an eye; what is further up is one click away.
const WINDOW = 40

/** The conversation of the thread, or of one call of it. */
export function Transcript(props: { readonly within?: string; readonly hasInterrupts?: boolean }): ReactNode {
  const view = useView()
  const { within, hasInterrupts = true } = props
  const items = useMemo(() => transcript(view, within), [view, within])
  const [extra, setExtra] = useState(0)
  const shown = hasInterrupts ? items : items.filter(({ type }) => type !== 'interrupt')
  const from = Math.max(0, shown.length - WINDOW - extra)
  return (
    <>
      {from > 0 && (
        <div className="sk-earlier">
          <Button look="quiet" size="small" onClick={() => setExtra(extra + WINDOW)}>
            Show {Math.min(WINDOW, from)} earlier of {from}
          </Button>
        </div>
      )}
      {shown.slice(from).map((item) => (
        <Item key={item.key} item={item} />
      ))}
    </>
  )
}

/** Items are made anew for each view; what they are about keeps its identity while it does not change. */
const Item = memo(
  function Item({ item }: { readonly item: TranscriptItem }): ReactNode {
    switch (item.type) {
      case 'user':
        return <UserMessage message={item.message} root={item.root} />
      case 'assistant':
        return <AssistantMessage call={item.call} />
      case 'tool':
        return item.call?.kind === 'subagent' ? (
          <SubagentCard call={item.call} renderInside={renderInside} />
        ) : (
          <ToolCard call={item.call} asked={item.asked} />
        )
      case 'interrupt':
        return <InterruptCard interrupt={item.interrupt} />
      case 'error':
        return <ErrorCard call={item.call} />
    }
  },
  ({ item: a }, { item: b }) => {
    if (a.type !== b.type || a.key !== b.key) return false
    if (a.type === 'tool' && b.type === 'tool') return a.call === b.call && a.asked === b.asked
    if (a.type === 'assistant' && b.type === 'assistant') return a.call === b.call
    if (a.type === 'interrupt' && b.type === 'interrupt') return a.interrupt === b.interrupt
    if (a.type === 'user' && b.type === 'user')
      return a.message.text === b.message.text && a.root.agent === b.root.agent
    return a === b
  },
)

function renderInside(call: string): ReactNode {
  return <Transcript within={call} hasInterrupts={false} />
}
