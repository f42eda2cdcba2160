import type { Json } from '@skein/core'
import type { Call, View } from '@skein/core/view'
import { Bot, ChevronRight } from 'lucide-react'
import { memo, useState, type ReactNode } from 'react'
import { CallTime } from '../calls/call-time.tsx'
import { formatShort } from '../design/format.ts'
import { hueOf } from '../design/hue.ts'
import { StatusDot } from '../design/status-dot.tsx'
import { RawEnvelopes } from '../health/raw-envelopes.tsx'
import { usePage, useView } from '../store/page-context.ts'
import { ErrorCard } from './error-card.tsx'
import { ReplayMark } from './replay-mark.tsx'
import { summarise } from './summarise.ts'
import { Transcript } from './transcript.tsx'

/** A sub-agent as one block: what it does now, and on opening its whole transcript, live, to any depth. */
export const SubagentCard = memo(function SubagentCard({ call }: { readonly call: Call }): ReactNode {
  const page = usePage()
  const [isOpen, setOpen] = useState(false)
  const name = call.agent || call.name
  return (
    <section
      className="sk-subagent"
      data-selected={page.selected === call.id || undefined}
      aria-label={`Sub-agent ${name}`}
      style={{ '--sk-hue': hueOf(name) }}
    >
      <button
        type="button"
        className="sk-subagent-head sk-focusable"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen)
          page.select(call.id)
        }}
      >
        <ChevronRight className="sk-chevron" size={13} aria-hidden />
        <Bot size={14} aria-hidden />
        <span className="sk-subagent-name">{name}</span>
        <span className="sk-subagent-task">{taskOf(call.input)}</span>
        <ReplayMark origin={call.origin} />
        {call.total.total_tokens !== undefined && (
          <span className="sk-dim sk-num">{formatShort(call.total.total_tokens)} tok</span>
        )}
        <CallTime call={call} />
        <StatusDot status={call.status} />
      </button>
      {isOpen ? (
        <div className="sk-subagent-body">
          <Transcript within={call.id} hasInterrupts={false} />
        </div>
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
  const line = lastLine(useView(), id)
  return line === '' ? null : <div className="sk-subagent-line">{line}</div>
}

function lastLine(view: View, id: string): string {
  const call = view.calls.get(id)
  for (const child of call?.children.toReversed() ?? []) {
    const inner = view.calls.get(child)
    if (inner === undefined) continue
    if (inner.kind === 'subagent' || inner.kind === 'subgraph') {
      const deeper = lastLine(view, child)
      if (deeper !== '') return deeper
    }
    if (inner.kind === 'tool') return `${inner.name} ${summarise(inner.input, 80)}`
    if (inner.text !== '') return tail(inner.text)
  }
  return ''
}

function tail(text: string): string {
  const flat = text.slice(-400).replaceAll(/\s+/g, ' ').trim()
  return flat.length > 140 ? `…${flat.slice(-140)}` : flat
}

function taskOf(input: Json): string {
  if (typeof input === 'object' && input !== null && 'description' in input)
    return summarise(input.description ?? null, 200)
  return summarise(input, 200)
}
