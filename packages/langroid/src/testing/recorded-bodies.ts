import type { ChatCompletionRequest } from '@copilotkit/aimock'
import type { Envelope, RawMessage } from '@clewline/core'

/** What the provider received, without what aimock notes beside it. */
export const bodyOf = (request: ChatCompletionRequest): object =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !name.startsWith('_')))

/** The bodies of the requests that the record says were sent. */
export const recordedBodies = (envelopes: readonly Envelope[]): readonly object[] =>
  envelopes.flatMap((one) => {
    if (one.type !== 'llm_start' || one.payload.input === undefined) return []
    const { tools: _names, ...params } = one.payload.params
    const { messages, ...question } = one.payload.input
    const { model } = one.payload
    const transport = { stream: true, stream_options: { include_usage: true } }
    return [{ ...transport, model, ...params, ...question, messages: messages.map(sentOf) }]
  })

const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' }

const sentOf = ({ type, content, ...fields }: RawMessage): object => ({
  role: ROLES[type] ?? type,
  ...(content !== null && { content }),
  ...fields,
})
