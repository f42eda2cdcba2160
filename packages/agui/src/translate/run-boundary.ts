import { EventType, PROTOCOL_VERSION } from '@ag-ui/core'
import type { Interrupt as AguiInterrupt, TokenUsage } from '@ag-ui/core'
import type { Json, Message } from '@clewline/core'
import { aguiInterruptId } from '../interrupt-id.ts'
import { aguiMessages, resultId, shownContent } from './agui-messages.ts'
import { entryOf, keysOf, growOnlyMap } from './grow-only-map.ts'
import { closeMessage, wholeToolCall } from './message-events.ts'
import { retire } from './subagent-events.ts'
import type { SubagentEnding } from './subagent-events.ts'
import type { OpenCall, RaisedInterrupt } from './translator-state.ts'
import { markKnown, putCall, tag } from './transition.ts'
import type { Transition } from './transition.ts'

/** How a run ended, as far as AG-UI can express it. */
export type RunEnding =
  | { readonly status: 'success'; readonly messages?: readonly Message[] }
  | { readonly status: 'interrupted'; readonly interrupts?: readonly RaisedInterrupt[] }
  | { readonly status: 'cancelled' }
  | { readonly status: 'error'; readonly name: string; readonly message: string }

export function beginRun(next: Transition, run: string): void {
  const { state } = next
  if (state.phase === 'open') endRun(next, { status: 'interrupted' })
  state.run = run
  state.phase = 'open'
  state.said = growOnlyMap()
  state.interrupts = []
  state.pending = []
  state.usage = {}
  state.isDiverged = false
  next.out.push({
    type: EventType.RUN_STARTED,
    threadId: state.thread,
    runId: run,
    ...(state.dialect.v1 && { protocolVersion: PROTOCOL_VERSION }),
  })
}

/** Closes everything that is open in the client, then the run. Nothing may follow but another run. */
export function endRun(next: Transition, ending: RunEnding): void {
  const { state } = next
  const interrupts = (ending.status === 'interrupted' ? ending.interrupts : undefined) ?? state.interrupts
  closeAll(next, subagentEnding(ending, interrupts))
  state.phase = 'over'
  const usage = usageOf(next)
  const end = { threadId: state.thread, runId: state.run }
  switch (ending.status) {
    case 'error':
      next.out.push({
        type: EventType.RUN_ERROR,
        message: ending.message === '' ? ending.name : ending.message,
        code: ending.name,
        ...usage,
      })
      return
    case 'cancelled':
      next.out.push({
        type: EventType.RUN_FINISHED,
        ...end,
        ...(state.dialect.v1 && { outcome: { type: 'cancelled' as const } }),
        ...usage,
      })
      return
    case 'interrupted':
      if (interrupts.length === 0) break
      // Clients before 1.0 wait for LangGraph's own event; a 1.0 client would ask twice.
      if (!state.dialect.v1) {
        for (const { value } of interrupts) {
          const text = typeof value === 'string' ? value : JSON.stringify(value)
          next.out.push({ type: EventType.CUSTOM, name: 'on_interrupt', value: text })
        }
      }
      next.out.push({
        type: EventType.RUN_FINISHED,
        ...end,
        outcome: { type: 'interrupt', interrupts: interrupts.map((one) => aguiInterrupt(next, one)) },
        ...usage,
      })
      return
    case 'success':
      reconcile(next, ending.messages ?? [])
      break
  }
  const pendingToolCallIds = [...state.pending]
  next.out.push({
    type: EventType.RUN_FINISHED,
    ...end,
    ...(state.dialect.v1 && {
      outcome: { type: 'success' as const, ...(pendingToolCallIds.length > 0 && { pendingToolCallIds }) },
    }),
    ...usage,
  })
}

/**
 * Reconciles the client's messages with the thread's, when the stream alone did not. A result may hold the whole
 * conversation or only what the run added; with the latter, `isDiverged` stays set for `withFinalMessages`.
 */
function reconcile(next: Transition, messages: readonly Message[]): void {
  const { state } = next
  if (messages.length === 0) return
  const ids = new Set(messages.map((message) => message.id))
  const dropped = keysOf(state.said)
  state.isDiverged ||= [...dropped].some((id) => !ids.has(id))
  const isWhole = [...keysOf(state.known)].every(
    (id) => ids.has(id) || dropped.has(id) || id.startsWith(resultId('')),
  )
  if (state.isDiverged && isWhole) {
    state.isDiverged = false
    state.known = growOnlyMap(messages.map((message) => [message.id, true as const]))
    next.out.push({ type: EventType.MESSAGES_SNAPSHOT, messages: aguiMessages(messages, state.dialect) })
    return
  }
  for (const message of messages) if (isUnseen(next, message)) showWhole(next, message)
}

function isUnseen({ state }: Transition, { id, role, tool_call_id }: Message): boolean {
  if (entryOf(state.known, id) !== undefined || role === 'system') return false
  if (role !== 'tool') return id !== ''
  return tool_call_id !== undefined && entryOf(state.known, resultId(tool_call_id)) === undefined
}

/** Streams a message that was never streamed, all at once. */
export function showWhole(next: Transition, message: Message): void {
  markKnown(next, message.id)
  if (message.role === 'tool') {
    const toolCallId = message.tool_call_id ?? message.id
    const messageId = resultId(toolCallId)
    markKnown(next, messageId)
    next.out.push({
      type: EventType.TOOL_CALL_RESULT,
      messageId,
      toolCallId,
      content: shownContent(message, next.state.dialect.v1),
      role: 'tool',
    })
    return
  }
  // A stream has only the text of a message; the messages at the end of the run have the rest.
  if (message.role === 'user' && shownContent(message, next.state.dialect.parts) !== message.text)
    next.state.isDiverged = true
  const calls = message.tool_calls ?? []
  if (message.text !== '' || calls.length === 0) {
    next.out.push({ type: EventType.TEXT_MESSAGE_START, messageId: message.id, role: message.role })
    if (message.text !== '')
      next.out.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: message.id, delta: message.text })
    next.out.push({ type: EventType.TEXT_MESSAGE_END, messageId: message.id })
  }
  for (const call of calls) wholeToolCall(next, null, call, message.id)
}

function closeAll(next: Transition, ending: SubagentEnding): void {
  const open = Object.values(next.state.calls).reverse()
  for (const { id } of open) {
    const call = next.state.calls[id]
    if (call === undefined) continue
    closeMessage(next, call)
    closeStep(next, call)
    retire(next, next.state.calls[id] ?? call, ending)
    const { message: _closed, step: _left, ...rest } = next.state.calls[id] ?? call
    putCall(next, rest)
  }
}

/** Leaves a call's step, unless another call is in the same one. */
export function closeStep(next: Transition, call: OpenCall): void {
  if (call.step === undefined) return
  const { step: stepName, ...rest } = call
  putCall(next, rest)
  const isShared = Object.values(next.state.calls).some(
    (other) => other.id !== call.id && other.owner === call.owner && other.step === stepName,
  )
  if (!isShared) next.out.push({ type: EventType.STEP_FINISHED, stepName, ...tag(call.owner) })
}

function subagentEnding(ending: RunEnding, interrupts: readonly RaisedInterrupt[]): SubagentEnding {
  switch (ending.status) {
    case 'success':
      return { type: 'success' }
    case 'interrupted':
      return { type: 'suspended', interruptIds: interrupts.map(aguiInterruptId) }
    case 'cancelled':
      return { type: 'error', message: 'The run was cancelled.', code: 'cancelled' }
    case 'error':
      return { type: 'error', message: ending.message, code: ending.name }
  }
}

function aguiInterrupt(next: Transition, raised: RaisedInterrupt): AguiInterrupt {
  const { value, tool_call_id, owner } = raised
  const message = promptOf(value)
  return {
    id: aguiInterruptId(raised),
    reason: tool_call_id === undefined ? 'interrupt' : 'tool_approval',
    ...(message !== undefined && { message }),
    ...(tool_call_id !== undefined && { toolCallId: tool_call_id }),
    metadata: { value },
    ...(next.state.dialect.subagents ? tag(owner) : {}),
  }
}

function promptOf(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = new Map(Object.entries(value))
  for (const key of ['message', 'question', 'description', 'prompt', 'text']) {
    const said = fields.get(key)
    if (typeof said === 'string') return said
  }
  return undefined
}

function usageOf(next: Transition): { usage?: TokenUsage[] } {
  const entries = Object.entries(next.state.usage)
  if (!next.state.dialect.v1 || entries.length === 0) return {}
  return {
    usage: entries.map(([model, used]) => ({
      ...(model !== '' && { model }),
      ...(used.input_tokens !== undefined && { inputTokens: used.input_tokens }),
      ...(used.output_tokens !== undefined && { outputTokens: used.output_tokens }),
      ...(used.total_tokens !== undefined && { totalTokens: used.total_tokens }),
      ...(used.reasoning_tokens !== undefined && { reasoningTokens: used.reasoning_tokens }),
      ...(used.cached_tokens !== undefined && { cachedInputTokens: used.cached_tokens }),
    })),
  }
}
