import { EventType } from '@ag-ui/core'
import type { Json } from '@clewline/core'
import { announce } from './subagent-events.ts'
import type { OpenCall, OpenMessage } from './translator-state.ts'
import { entryOf } from './grow-only-map.ts'
import { isVisible, putCall, putToolCall, markSaid, tag } from './transition.ts'
import type { Transition } from './transition.ts'

/** Opens the text of a model call's message, closing its reasoning first. */
export function openText(next: Transition, call: OpenCall, id: string): OpenMessage {
  announce(next, call.owner)
  const message = closeReasoning(next, call, messageOf(call, id))
  const opened = { ...message, isTextOpen: true, hasText: true }
  next.out.push({
    type: EventType.TEXT_MESSAGE_START,
    messageId: opened.id,
    role: 'assistant',
    ...tag(call.owner),
  })
  say(next, call, opened)
  return opened
}

export function openReasoning(next: Transition, call: OpenCall, id: string): OpenMessage {
  announce(next, call.owner)
  const message = closeText(next, call, messageOf(call, id))
  const count = message.reasonings + 1
  const messageId = reasoningId(message.id, count)
  next.out.push(
    { type: EventType.REASONING_START, messageId, ...tag(call.owner) },
    { type: EventType.REASONING_MESSAGE_START, messageId, role: 'reasoning', ...tag(call.owner) },
  )
  const opened = { ...message, reasoning: messageId, reasonings: count }
  putCall(next, { ...call, message: opened })
  return opened
}

/** A reasoning message stands before the message that it led to, in the stream and in a snapshot. */
export function reasoningId(messageId: string, count = 1): string {
  return count === 1 ? `reasoning-${messageId}` : `reasoning-${messageId}-${count}`
}

export function openToolCall(
  next: Transition,
  call: OpenCall,
  message: OpenMessage,
  asked: { readonly id: string; readonly name: string },
): void {
  announce(next, call.owner)
  const quiet = closeText(next, call, closeReasoning(next, call, message))
  next.out.push({
    type: EventType.TOOL_CALL_START,
    toolCallId: asked.id,
    toolCallName: asked.name,
    parentMessageId: quiet.id,
    ...tag(call.owner),
  })
  putToolCall(next, asked.id, { call: call.id, owner: call.owner, isOpen: true, isAnswered: false })
  say(next, call, quiet)
}

/** A tool call whose arguments were not streamed, or that no model asked for in this stream. */
export function wholeToolCall(
  next: Transition,
  owner: string | null,
  asked: { readonly id: string; readonly name: string; readonly args: Json },
  parentMessageId?: string,
): void {
  announce(next, owner)
  const text = typeof asked.args === 'string' ? asked.args : JSON.stringify(asked.args)
  next.out.push({
    type: EventType.TOOL_CALL_START,
    toolCallId: asked.id,
    toolCallName: asked.name,
    ...(parentMessageId !== undefined && { parentMessageId }),
    ...tag(owner),
  })
  if (text !== '')
    next.out.push({ type: EventType.TOOL_CALL_ARGS, toolCallId: asked.id, delta: text, ...tag(owner) })
  next.out.push({ type: EventType.TOOL_CALL_END, toolCallId: asked.id, ...tag(owner) })
  putToolCall(next, asked.id, { call: null, owner, isOpen: false, isAnswered: false })
}

/** Closes whatever this model call has open in the client. */
export function closeMessage(next: Transition, call: OpenCall): void {
  if (!isVisible(next, call.owner)) return
  if (call.message !== undefined) closeText(next, call, closeReasoning(next, call, call.message))
  for (const id of next.state.streaming) {
    const shown = entryOf(next.state.toolCalls, id)
    if (shown?.call !== call.id) continue
    next.out.push({ type: EventType.TOOL_CALL_END, toolCallId: id, ...tag(shown.owner) })
    putToolCall(next, id, { ...shown, isOpen: false })
  }
}

function messageOf(call: OpenCall, id: string): OpenMessage {
  return call.message ?? { id, isTextOpen: false, hasText: false, reasoning: null, reasonings: 0 }
}

function say(next: Transition, call: OpenCall, message: OpenMessage): void {
  putCall(next, { ...call, message })
  markSaid(next, call, message.id)
}

function closeText(next: Transition, call: OpenCall, message: OpenMessage): OpenMessage {
  if (!message.isTextOpen) return message
  next.out.push({ type: EventType.TEXT_MESSAGE_END, messageId: message.id, ...tag(call.owner) })
  const closed = { ...message, isTextOpen: false }
  putCall(next, { ...call, message: closed })
  return closed
}

function closeReasoning(next: Transition, call: OpenCall, message: OpenMessage): OpenMessage {
  if (message.reasoning === null) return message
  next.out.push(
    { type: EventType.REASONING_MESSAGE_END, messageId: message.reasoning, ...tag(call.owner) },
    { type: EventType.REASONING_END, messageId: message.reasoning, ...tag(call.owner) },
  )
  const closed = { ...message, reasoning: null }
  putCall(next, { ...call, message: closed })
  return closed
}
