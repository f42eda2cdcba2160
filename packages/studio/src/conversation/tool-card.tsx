import type { Json } from '@clewline/core'
import type { Call, StreamedToolCall } from '@clewline/core/view'
import { ChevronRight, Wrench } from 'lucide-react'
import { memo, useState, type ReactNode } from 'react'
import { PendingFrontend } from '../approvals/pending-frontend.tsx'
import { CallTime } from '../calls/call-time.tsx'
import { FieldsView } from '../design/fields-view.tsx'
import { JsonView } from '../design/json-view.tsx'
import { StatusDot } from '../design/status-dot.tsx'
import { RawEnvelopes } from '../health/raw-envelopes.tsx'
import { usePage } from '../store/page-context.ts'
import { ErrorCard } from './error-card.tsx'
import { readArgs } from './read-args.ts'
import { ReplayMark } from './replay-mark.tsx'
import { summarise } from './summarise.ts'

/** A tool, from the moment that the model begins to ask for it: arguments stream in, then the result. */
export const ToolCard = memo(function ToolCard(props: {
  readonly call: Call | null
  readonly asked: StreamedToolCall | null
}): ReactNode {
  const { call, asked } = props
  const page = usePage()
  const [isOpen, setOpen] = useState(false)
  const name = call?.name ?? asked?.name ?? 'tool'
  const input: Json = call === null ? readArgs(asked?.args ?? '') : call.input
  const isStreaming = call === null && typeof input === 'string'
  const status = call?.status ?? (isStreaming ? 'running' : 'pending')
  const isSelected = call !== null && page.selected === call.id
  return (
    <section className="cw-tool" data-selected={isSelected || undefined} aria-label={`Tool ${name}`}>
      <button
        type="button"
        className="cw-tool-head cw-focusable"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen)
          if (call !== null) page.select(call.id)
        }}
      >
        <ChevronRight className="cw-chevron" size={13} aria-hidden />
        <Wrench size={13} aria-hidden className="cw-dim" />
        <span className="cw-tool-name">{name}</span>
        <span className="cw-tool-summary">{summarise(input)}</span>
        {call?.progress !== undefined && call.ended_at === null && <Progress {...call.progress} />}
        {call !== null && <ReplayMark origin={call.origin} />}
        {call !== null && <CallTime call={call} />}
        <StatusDot status={status} />
      </button>
      {isOpen && (
        <div className="cw-tool-body">
          <h4>{isStreaming ? 'Arguments, streaming in' : 'Arguments'}</h4>
          <FieldsView value={input} label={`Arguments of ${name}`} />
          {call !== null && call.text !== '' && <Section title="Log" value={call.text} />}
          {call?.data !== undefined && <Section title="Yielded" value={call.data} />}
          {call?.result !== undefined && <Section title="Result" value={call.result} />}
        </div>
      )}
      {call?.status === 'error' && <ErrorCard call={call} />}
      {call?.status === 'pending_frontend' && <PendingFrontend call={call} />}
      {call !== null && <RawEnvelopes call={call} />}
    </section>
  )
})

function Section({ title, value }: { readonly title: string; readonly value: Json }): ReactNode {
  return (
    <>
      <h4>{title}</h4>
      <JsonView value={value} label={title} />
    </>
  )
}

function Progress({ done, total }: { readonly done: number; readonly total?: number }): ReactNode {
  return (
    <progress className="cw-progress" aria-label="Progress" value={done} max={total ?? Math.max(done, 1)} />
  )
}
