import { EventType } from '@ag-ui/core'
import type { Envelope, Usage } from '@clewline/core'
import { enterStep } from './enter-step.ts'
import { entryOf } from './layered.ts'
import { closeMessage, openReasoning, openText, openToolCall, wholeToolCall } from './message-events.ts'
import { closeStep } from './run-boundary.ts'
import type { OpenCall } from './translator-state.ts'
import { dropCall, isVisible, ownerBelow, putCall, said, tag, toolCallName } from './work.ts'
import type { Work } from './work.ts'

type Of<T extends Envelope['type']> = Extract<Envelope, { type: T }>

export function startLlm(work: Work, { call_id, parent_id, payload }: Of<'llm_start'>): void {
  const earlier = work.state.calls[call_id]
  if (earlier !== undefined) abandon(work, earlier)
  const owner = ownerBelow(work, parent_id)
  const call: OpenCall = {
    id: call_id,
    parent: parent_id,
    kind: 'llm',
    name: payload.model,
    owner,
    attempt: payload.attempt ?? 1,
  }
  putCall(work, call)
  enterStep(work, call, payload.node)
}

/** A piece that opens something; pieces of what is open never come here. */
export function token(work: Work, { call_id, payload }: Of<'llm_token'>): void {
  const call = work.state.calls[call_id]
  if (call === undefined || !isVisible(work, call.owner)) return
  const { text: delta, tool_call } = payload
  // An id given to the first piece holds for the message; a failed attempt must not share its message with the next.
  const fallback = call.attempt === 1 ? call_id : `${call_id}-${call.attempt}`
  const id = call.message?.id ?? payload.message_id ?? fallback
  const from = tag(call.owner)
  switch (payload.channel ?? 'text') {
    case 'text': {
      if (delta === '') return noteId(work, call, payload.message_id)
      const message = openText(work, call, id)
      work.out.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: message.id, delta, ...from })
      return
    }
    case 'reasoning': {
      if (delta === '' || !work.state.dialect.reasoning) return noteId(work, call, payload.message_id)
      const { reasoning } = openReasoning(work, call, id)
      if (reasoning !== null)
        work.out.push({ type: EventType.REASONING_MESSAGE_CONTENT, messageId: reasoning, delta, ...from })
      return
    }
    case 'tool_args': {
      if (tool_call === undefined || tool_call.id === '') return
      const toolCallId = toolCallName(work.state.toolCalls, call.owner, tool_call.id)
      const shown = entryOf(work.state.toolCalls, toolCallId)
      if (shown === undefined)
        openToolCall(work, call, messageFor(call, id), { id: toolCallId, name: tool_call.name })
      if (delta !== '' && (shown === undefined || shown.isOpen))
        work.out.push({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta, ...from })
    }
  }
}

export function endLlm(work: Work, { call_id, payload }: Of<'llm_end'>): void {
  const call = work.state.calls[call_id]
  if (call === undefined) return
  const { message, finish_reason } = payload
  const isCancelled = finish_reason === 'cancelled'
  if (isVisible(work, call.owner)) {
    const id = call.message?.id ?? (message.id === '' ? call_id : message.id)
    completeMessage(work, call, id, message)
    const latest = work.state.calls[call_id]
    const wasShown = latest?.message !== undefined
    if (call.owner === null && wasShown && !isCancelled && message.id !== '' && message.id !== id)
      work.state.isOff = true
  }
  const { [call.name]: used = {}, ...others } = work.state.usage
  work.state.usage = { ...others, [call.name]: sum(used, payload.usage) }
  closeStep(work, work.state.calls[call_id] ?? call)
  dropCall(work, call_id)
}

/** Shows what was not streamed, and closes what was. */
function completeMessage(
  work: Work,
  call: OpenCall,
  id: string,
  whole: Of<'llm_end'>['payload']['message'],
): void {
  const from = tag(call.owner)
  const isSilent = call.message === undefined || (!call.message.hasText && call.message.reasonings === 0)
  if (isSilent && whole.reasoning !== undefined && whole.reasoning !== '' && work.state.dialect.reasoning) {
    const { reasoning } = openReasoning(work, call, id)
    if (reasoning !== null)
      work.out.push({
        type: EventType.REASONING_MESSAGE_CONTENT,
        messageId: reasoning,
        delta: whole.reasoning,
        ...from,
      })
  }
  const current = work.state.calls[call.id] ?? call
  if (whole.text !== '' && !current.message?.hasText) {
    openText(work, current, id)
    work.out.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta: whole.text, ...from })
  }
  closeMessage(work, work.state.calls[call.id] ?? call)
  for (const asked of whole.tool_calls) {
    const toolCallId = toolCallName(work.state.toolCalls, call.owner, asked.id)
    if (asked.id === '' || entryOf(work.state.toolCalls, toolCallId) !== undefined) continue
    wholeToolCall(work, call.owner, { ...asked, id: toolCallId }, id)
    const now = work.state.calls[call.id] ?? call
    putCall(work, { ...now, message: messageFor(now, id) })
    said(work, call, id)
  }
}

/** What a failed attempt had shown stays in the client until the final messages replace it. */
export function abandon(work: Work, call: OpenCall): void {
  closeMessage(work, call)
  if (call.message !== undefined && call.owner === null) work.state.isOff = true
  closeStep(work, work.state.calls[call.id] ?? call)
}

function noteId(work: Work, call: OpenCall, id: string | undefined): void {
  if (id !== undefined && call.message === undefined)
    putCall(work, { ...call, message: messageFor(call, id) })
}

function messageFor(call: OpenCall, id: string): NonNullable<OpenCall['message']> {
  return call.message ?? { id, isTextOpen: false, hasText: false, reasoning: null, reasonings: 0 }
}

const COUNTS = ['input_tokens', 'output_tokens', 'total_tokens', 'cached_tokens', 'reasoning_tokens'] as const

function sum(one: Usage, other: Usage): Usage {
  const total: Record<string, number> = {}
  for (const key of COUNTS) {
    const counts = [one[key], other[key]].filter((count) => count !== undefined)
    if (counts.length > 0) total[key] = counts.reduce((a, b) => a + b, 0)
  }
  return total
}
