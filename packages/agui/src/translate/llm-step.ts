import { EventType } from '@ag-ui/core'
import type { Envelope } from '@clewline/core'
import { addUsage } from '@clewline/core/message'
import { enterStep } from './enter-step.ts'
import { entryOf } from './grow-only-map.ts'
import { closeMessage, openReasoning, openText, openToolCall, wholeToolCall } from './message-events.ts'
import { closeStep } from './run-boundary.ts'
import type { OpenCall } from './translator-state.ts'
import { dropCall, isVisible, ownerBelow, putCall, markSaid, tag, toolCallName } from './transition.ts'
import type { Transition } from './transition.ts'

type Of<T extends Envelope['type']> = Extract<Envelope, { type: T }>

export function startLlm(next: Transition, { call_id, parent_id, payload }: Of<'llm_start'>): void {
  const earlier = next.state.calls[call_id]
  if (earlier !== undefined) abandon(next, earlier)
  const owner = ownerBelow(next, parent_id)
  const call: OpenCall = {
    id: call_id,
    parent: parent_id,
    kind: 'llm',
    name: payload.model,
    owner,
    attempt: payload.attempt ?? 1,
  }
  putCall(next, call)
  enterStep(next, call, payload.node)
}

/** A piece that opens something; pieces of what is open never come here. */
export function token(next: Transition, { call_id, payload }: Of<'llm_token'>): void {
  const call = next.state.calls[call_id]
  if (call === undefined || !isVisible(next, call.owner)) return
  const { text: delta, tool_call } = payload
  // An id given to the first piece holds for the message; a failed attempt must not share its message with the next.
  const fallback = call.attempt === 1 ? call_id : `${call_id}-${call.attempt}`
  const id = call.message?.id ?? payload.message_id ?? fallback
  const from = tag(call.owner)
  switch (payload.channel ?? 'text') {
    case 'text': {
      if (delta === '') return noteId(next, call, payload.message_id)
      const message = openText(next, call, id)
      next.out.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: message.id, delta, ...from })
      return
    }
    case 'reasoning': {
      if (delta === '' || !next.state.dialect.reasoning) return noteId(next, call, payload.message_id)
      const { reasoning } = openReasoning(next, call, id)
      if (reasoning !== null)
        next.out.push({ type: EventType.REASONING_MESSAGE_CONTENT, messageId: reasoning, delta, ...from })
      return
    }
    case 'tool_args': {
      if (tool_call === undefined || tool_call.id === '') return
      const toolCallId = toolCallName(next.state.toolCalls, call.owner, tool_call.id)
      const shown = entryOf(next.state.toolCalls, toolCallId)
      if (shown === undefined)
        openToolCall(next, call, messageFor(call, id), { id: toolCallId, name: tool_call.name })
      if (delta !== '' && (shown === undefined || shown.isOpen))
        next.out.push({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta, ...from })
    }
  }
}

export function endLlm(next: Transition, { call_id, payload }: Of<'llm_end'>): void {
  const call = next.state.calls[call_id]
  if (call === undefined) return
  const { message, finish_reason } = payload
  const isCancelled = finish_reason === 'cancelled'
  if (isVisible(next, call.owner)) {
    const id = call.message?.id ?? (message.id === '' ? call_id : message.id)
    completeMessage(next, call, id, message)
    const latest = next.state.calls[call_id]
    const wasShown = latest?.message !== undefined
    if (call.owner === null && wasShown && !isCancelled && message.id !== '' && message.id !== id)
      next.state.isDiverged = true
  }
  const { [call.name]: used = {}, ...others } = next.state.usage
  next.state.usage = { ...others, [call.name]: addUsage(used, payload.usage) }
  closeStep(next, next.state.calls[call_id] ?? call)
  dropCall(next, call_id)
}

/** Shows what was not streamed, and closes what was. */
function completeMessage(
  next: Transition,
  call: OpenCall,
  id: string,
  whole: Of<'llm_end'>['payload']['message'],
): void {
  const from = tag(call.owner)
  const isSilent = call.message === undefined || (!call.message.hasText && call.message.reasonings === 0)
  if (isSilent && whole.reasoning !== undefined && whole.reasoning !== '' && next.state.dialect.reasoning) {
    const { reasoning } = openReasoning(next, call, id)
    if (reasoning !== null)
      next.out.push({
        type: EventType.REASONING_MESSAGE_CONTENT,
        messageId: reasoning,
        delta: whole.reasoning,
        ...from,
      })
  }
  const current = next.state.calls[call.id] ?? call
  if (whole.text !== '' && !current.message?.hasText) {
    openText(next, current, id)
    next.out.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta: whole.text, ...from })
  }
  closeMessage(next, next.state.calls[call.id] ?? call)
  for (const asked of whole.tool_calls) {
    const toolCallId = toolCallName(next.state.toolCalls, call.owner, asked.id)
    if (asked.id === '' || entryOf(next.state.toolCalls, toolCallId) !== undefined) continue
    wholeToolCall(next, call.owner, { ...asked, id: toolCallId }, id)
    const now = next.state.calls[call.id] ?? call
    putCall(next, { ...now, message: messageFor(now, id) })
    markSaid(next, call, id)
  }
}

/** What a failed attempt had shown stays in the client until the final messages replace it. */
export function abandon(next: Transition, call: OpenCall): void {
  closeMessage(next, call)
  if (call.message !== undefined && call.owner === null) next.state.isDiverged = true
  closeStep(next, next.state.calls[call.id] ?? call)
}

function noteId(next: Transition, call: OpenCall, id: string | undefined): void {
  if (id !== undefined && call.message === undefined)
    putCall(next, { ...call, message: messageFor(call, id) })
}

function messageFor(call: OpenCall, id: string): NonNullable<OpenCall['message']> {
  return call.message ?? { id, isTextOpen: false, hasText: false, reasoning: null, reasonings: 0 }
}
