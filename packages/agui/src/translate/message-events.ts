import { EventType } from '@ag-ui/core'
import type { Json } from '@clewline/core'
import { announce } from './subagent-events.ts'
import type { OpenCall, OpenMessage } from './translator-state.ts'
import { entryOf } from './layered.ts'
import { isVisible, putCall, putToolCall, said, tag } from './work.ts'
import type { Work } from './work.ts'

/** Opens the text of a model call's message, closing its reasoning first. */
export function openText(work: Work, call: OpenCall, id: string): OpenMessage {
  announce(work, call.owner)
  const message = closeReasoning(work, call, messageOf(call, id))
  const opened = { ...message, isTextOpen: true, hasText: true }
  work.out.push({
    type: EventType.TEXT_MESSAGE_START,
    messageId: opened.id,
    role: 'assistant',
    ...tag(call.owner),
  })
  say(work, call, opened)
  return opened
}

export function openReasoning(work: Work, call: OpenCall, id: string): OpenMessage {
  announce(work, call.owner)
  const message = closeText(work, call, messageOf(call, id))
  const count = message.reasonings + 1
  const messageId = reasoningId(message.id, count)
  work.out.push(
    { type: EventType.REASONING_START, messageId, ...tag(call.owner) },
    { type: EventType.REASONING_MESSAGE_START, messageId, role: 'reasoning', ...tag(call.owner) },
  )
  const opened = { ...message, reasoning: messageId, reasonings: count }
  putCall(work, { ...call, message: opened })
  return opened
}

/** A reasoning message stands before the message that it led to, in the stream and in a snapshot. */
export function reasoningId(messageId: string, count = 1): string {
  return count === 1 ? `reasoning-${messageId}` : `reasoning-${messageId}-${count}`
}

export function openToolCall(
  work: Work,
  call: OpenCall,
  message: OpenMessage,
  asked: { readonly id: string; readonly name: string },
): void {
  announce(work, call.owner)
  const quiet = closeText(work, call, closeReasoning(work, call, message))
  work.out.push({
    type: EventType.TOOL_CALL_START,
    toolCallId: asked.id,
    toolCallName: asked.name,
    parentMessageId: quiet.id,
    ...tag(call.owner),
  })
  putToolCall(work, asked.id, { call: call.id, owner: call.owner, isOpen: true, isAnswered: false })
  say(work, call, quiet)
}

/** A tool call whose arguments were not streamed, or that no model asked for in this stream. */
export function wholeToolCall(
  work: Work,
  owner: string | null,
  asked: { readonly id: string; readonly name: string; readonly args: Json },
  parentMessageId?: string,
): void {
  announce(work, owner)
  const text = typeof asked.args === 'string' ? asked.args : JSON.stringify(asked.args)
  work.out.push({
    type: EventType.TOOL_CALL_START,
    toolCallId: asked.id,
    toolCallName: asked.name,
    ...(parentMessageId !== undefined && { parentMessageId }),
    ...tag(owner),
  })
  if (text !== '')
    work.out.push({ type: EventType.TOOL_CALL_ARGS, toolCallId: asked.id, delta: text, ...tag(owner) })
  work.out.push({ type: EventType.TOOL_CALL_END, toolCallId: asked.id, ...tag(owner) })
  putToolCall(work, asked.id, { call: null, owner, isOpen: false, isAnswered: false })
}

/** Closes whatever this model call has open in the client. */
export function closeMessage(work: Work, call: OpenCall): void {
  if (!isVisible(work, call.owner)) return
  if (call.message !== undefined) closeText(work, call, closeReasoning(work, call, call.message))
  for (const id of work.state.streaming) {
    const shown = entryOf(work.state.toolCalls, id)
    if (shown?.call !== call.id) continue
    work.out.push({ type: EventType.TOOL_CALL_END, toolCallId: id, ...tag(shown.owner) })
    putToolCall(work, id, { ...shown, isOpen: false })
  }
}

function messageOf(call: OpenCall, id: string): OpenMessage {
  return call.message ?? { id, isTextOpen: false, hasText: false, reasoning: null, reasonings: 0 }
}

function say(work: Work, call: OpenCall, message: OpenMessage): void {
  putCall(work, { ...call, message })
  said(work, call, message.id)
}

function closeText(work: Work, call: OpenCall, message: OpenMessage): OpenMessage {
  if (!message.isTextOpen) return message
  work.out.push({ type: EventType.TEXT_MESSAGE_END, messageId: message.id, ...tag(call.owner) })
  const closed = { ...message, isTextOpen: false }
  putCall(work, { ...call, message: closed })
  return closed
}

function closeReasoning(work: Work, call: OpenCall, message: OpenMessage): OpenMessage {
  if (message.reasoning === null) return message
  work.out.push(
    { type: EventType.REASONING_MESSAGE_END, messageId: message.reasoning, ...tag(call.owner) },
    { type: EventType.REASONING_END, messageId: message.reasoning, ...tag(call.owner) },
  )
  const closed = { ...message, reasoning: null }
  putCall(work, { ...call, message: closed })
  return closed
}
