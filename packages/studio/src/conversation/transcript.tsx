import { transcript, type TranscriptItem } from '@clewline/core/view'
import { memo, useEffect, useEffectEvent, useMemo, useRef, useState, type ReactNode } from 'react'
import { InterruptCard } from '../approvals/interrupt-card.tsx'
import { Button } from '../design/button.tsx'
import { useView } from '../store/page-context.ts'
import { AssistantMessage } from './assistant-message.tsx'
import { ErrorCard } from './error-card.tsx'
import { SubagentCard } from './subagent-card.tsx'
import { ToolCard } from './tool-card.tsx'
import { UserMessage } from './user-message.tsx'

// Scrubbing draws all of them anew, in less than the blink of an eye; what is further up is one click away.
const WINDOW = 30

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
      {from > 0 && <Earlier key={from} count={from} onShow={() => setExtra(extra + WINDOW)} />}
      {keyed(shown.slice(from)).map(([key, item]) => (
        <Item key={key} item={item} />
      ))}
    </>
  )
}

/** What is further up comes when the reader gets near it, or asks. */
function Earlier({ count, onShow }: { readonly count: number; readonly onShow: () => void }): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const show = useEffectEvent(onShow)
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) show()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div className="cw-earlier" ref={host}>
      <Button look="quiet" size="small" onClick={onShow}>
        Show {Math.min(WINDOW, count)} earlier of {count}
      </Button>
    </div>
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
    if (a.type === 'tool' && b.type === 'tool') return a.call === b.call && a.asked === b.asked
    if (a.type !== b.type || a.key !== b.key) return false
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

/** A tool keeps its card from the moment that it is asked for: by the id of the tool call, where that is unique. */
function keyed(items: readonly TranscriptItem[]): readonly (readonly [string, TranscriptItem])[] {
  const seen = new Set<string>()
  return items.map((item) => {
    const asked = item.type === 'tool' ? (item.call?.tool_call_id ?? item.asked?.id) : undefined
    const key = asked === undefined || asked === '' || seen.has(asked) ? item.key : asked
    seen.add(key)
    return [key, item]
  })
}
