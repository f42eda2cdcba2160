import type { Call } from '@clewline/core/view'
import { Bot, ChevronRight } from 'lucide-react'
import { memo, useState, type ReactNode } from 'react'
import { callAbout, latestInside } from '../calls/call-about.ts'
import { CallTime } from '../calls/call-time.tsx'
import { formatShort } from '../design/format.ts'
import { useHue } from '../design/hue.ts'
import { StatusDot } from '../design/status-dot.tsx'
import { RawEnvelopes } from '../health/raw-envelopes.tsx'
import { usePage, useView } from '../store/page-context.ts'
import { ErrorCard } from './error-card.tsx'
import { ReplayMark } from './replay-mark.tsx'

/** A sub-agent as one block: what it does now, and on opening its whole transcript, live, to any depth. */
export const SubagentCard = memo(function SubagentCard(props: {
  readonly call: Call
  /** Given, because a transcript shows cards and a card shows a transcript. */
  readonly renderInside: (call: string) => ReactNode
}): ReactNode {
  const { call } = props
  const page = usePage()
  const hueOf = useHue()
  const [isOpen, setOpen] = useState(false)
  const name = call.agent || call.name
  return (
    <section
      className="cw-subagent"
      data-selected={page.selected === call.id || undefined}
      aria-label={`Sub-agent ${name}`}
      style={{ '--cw-hue': hueOf(call.agent) }}
    >
      <button
        type="button"
        className="cw-subagent-head cw-focusable"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen)
          page.select(call.id)
        }}
      >
        <ChevronRight className="cw-chevron" size={13} aria-hidden />
        <Bot size={14} aria-hidden />
        <span className="cw-subagent-name">{name}</span>
        <span className="cw-subagent-task">{callAbout(call, 200)}</span>
        <ReplayMark origin={call.origin} />
        {call.total.total_tokens !== undefined && (
          <span className="cw-dim cw-num">{formatShort(call.total.total_tokens)} tok</span>
        )}
        <CallTime call={call} />
        <StatusDot status={call.status} />
      </button>
      {isOpen ? (
        <div className="cw-subagent-body">{props.renderInside(call.id)}</div>
      ) : (
        <LastLine id={call.id} />
      )}
      {call.status === 'error' && <ErrorCard call={call} />}
      <RawEnvelopes call={call} />
    </section>
  )
})

/** The newest thing that happens inside. */
function LastLine({ id }: { readonly id: string }): ReactNode {
  const line = latestInside(useView(), id)
  return line === '' ? null : <div className="cw-subagent-line">{line}</div>
}
