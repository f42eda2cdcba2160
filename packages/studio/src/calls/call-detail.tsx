import type { Json } from '@clewline/core'
import type { Call } from '@clewline/core/view'
import { X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { ErrorCard } from '../conversation/error-card.tsx'
import { Markdown } from '../conversation/markdown.tsx'
import { Reasoning } from '../conversation/reasoning.tsx'
import { ReplayMark } from '../conversation/replay-mark.tsx'
import { readArgs } from '../conversation/read-args.ts'
import { Transcript } from '../conversation/transcript.tsx'
import { Badge } from '../design/badge.tsx'
import { FieldsView } from '../design/fields-view.tsx'
import { IconButton } from '../design/icon-button.tsx'
import { JsonView } from '../design/json-view.tsx'
import { Segments } from '../design/segments.tsx'
import { statusText } from '../design/status-text.ts'
import { toneOf } from '../design/tone.ts'
import { EnvelopeList } from '../health/raw-envelopes.tsx'
import { CallUsage } from '../meters/call-usage.tsx'
import { usePage, useView } from '../store/page-context.ts'
import { CallIcon } from './call-icon.tsx'
import { CallTime } from './call-time.tsx'
import { callTitle } from './call-title.ts'

type Tab = 'transcript' | 'data' | 'raw'

/** Everything about the selected call: its transcript when it is an agent, what went in and out, the raw envelopes. */
export function CallDetail(): ReactNode {
  const page = usePage()
  const call = useView().calls.get(page.selected ?? '')
  const isAgent =
    call !== undefined && (call.kind === 'graph' || call.kind === 'subgraph' || call.kind === 'subagent')
  const [chosen, setChosen] = useState<Tab>('transcript')
  if (call === undefined) return null
  const tab = chosen === 'transcript' && !isAgent ? 'data' : chosen
  const tabs = [
    ...(isAgent ? [{ value: 'transcript', text: 'Transcript' } as const] : []),
    { value: 'data', text: 'In and out' } as const,
    { value: 'raw', text: 'Envelopes' } as const,
  ]
  return (
    <section className="cw-detail" aria-label="Selected call">
      <header>
        <CallIcon kind={call.kind} />
        <strong>{callTitle(call)}</strong>
        <Badge tone={toneOf(call.status)}>{statusText(call.status)}</Badge>
        <ReplayMark origin={call.origin} />
        <CallTime call={call} />
        <span className="cw-grow" />
        <Segments label="What to show" options={tabs} value={tab} onChange={setChosen} />
        <IconButton label="Close details" size="small" onClick={() => page.select(null)}>
          <X size={14} />
        </IconButton>
      </header>
      <div className="cw-detail-body cw-focusable" tabIndex={0} role="region" aria-label="Details">
        {tab === 'transcript' && <Transcript key={call.id} within={call.id} hasInterrupts={false} />}
        {tab === 'data' && <InAndOut call={call} />}
        {tab === 'raw' && <EnvelopeList key={call.id} call={call} />}
      </div>
    </section>
  )
}

function InAndOut({ call }: { readonly call: Call }): ReactNode {
  return (
    <>
      <CallUsage call={call} />
      <Part title={call.kind === 'llm' ? 'Parameters' : 'Input'} value={call.input} />
      {call.reasoning !== '' && <Reasoning text={call.reasoning} isOpenEnded={false} />}
      {call.text !== '' && (
        <>
          <h4>{call.kind === 'llm' ? 'Answer' : 'Log'}</h4>
          {call.kind === 'llm' ? <Markdown text={call.text} /> : <JsonView value={call.text} />}
        </>
      )}
      {call.tool_calls.map((asked) => (
        <Part key={asked.index} title={`Asked for ${asked.name}`} value={readArgs(asked.args)} />
      ))}
      {call.data !== undefined && <Part title="Yielded" value={call.data} />}
      {call.result !== undefined && <Part title="Result" value={call.result} />}
      <ErrorCard call={call} />
    </>
  )
}

function Part({ title, value }: { readonly title: string; readonly value: Json }): ReactNode {
  return (
    <>
      <h4>{title}</h4>
      <FieldsView value={value} label={title} />
    </>
  )
}
