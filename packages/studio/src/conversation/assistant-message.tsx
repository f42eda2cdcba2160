import type { Call } from '@clewline/core/view'
import { memo, type ReactNode } from 'react'
import { CopyButton } from '../design/copy-button.tsx'
import { RawEnvelopes } from '../health/raw-envelopes.tsx'
import { ErrorCard } from './error-card.tsx'
import { Markdown } from './markdown.tsx'
import { Reasoning } from './reasoning.tsx'
import { ReplayMark } from './replay-mark.tsx'

/** What a model said. One that only asked for tools shows as those tools. */
export const AssistantMessage = memo(function AssistantMessage({ call }: { readonly call: Call }): ReactNode {
  const isRunning = call.status === 'running'
  const isSilent = call.text === '' && call.reasoning === ''
  if (call.error !== undefined && isSilent) return <ErrorCard call={call} />
  if (isSilent && call.tool_calls.length > 0) return null
  if (isSilent) return isRunning ? <Thinking /> : null
  return (
    <article className="cw-assistant" aria-label={`${call.agent} says`} aria-busy={isRunning}>
      {call.reasoning !== '' && (
        <Reasoning text={call.reasoning} isOpenEnded={isRunning && call.text === ''} />
      )}
      <Markdown text={call.text} isStreaming={isRunning} />
      {!isRunning && (
        <div className="cw-assistant-actions">
          {call.text !== '' && <CopyButton text={call.text} label="Copy answer" />}
          <ReplayMark origin={call.origin} />
          {call.status === 'cancelled' && <span className="cw-hint">Stopped here</span>}
        </div>
      )}
      {call.error !== undefined && <ErrorCard call={call} />}
      <RawEnvelopes call={call} />
    </article>
  )
})

function Thinking(): ReactNode {
  return (
    <div className="cw-thinking" role="status">
      <i />
      <i />
      <i />
      <span className="cw-hidden">The model is working</span>
    </div>
  )
}
