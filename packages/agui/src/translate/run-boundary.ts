import { EventType, PROTOCOL_VERSION } from '@ag-ui/core'
import type { Interrupt as AguiInterrupt, TokenUsage } from '@ag-ui/core'
import type { Json, Message } from '@clewline/core'
import { aguiMessages, resultId } from './agui-messages.ts'
import { entryOf, keysOf, layered } from './layered.ts'
import { closeMessage, wholeToolCall } from './message-events.ts'
import { retire } from './subagent-events.ts'
import type { SubagentEnding } from './subagent-events.ts'
import type { OpenCall, RaisedInterrupt } from './translator-state.ts'
import { know, putCall, tag } from './work.ts'
import type { Work } from './work.ts'

/** How a run ended, as far as the client is told. */
export type RunEnding =
  | { readonly status: 'success'; readonly messages?: readonly Message[] }
  | { readonly status: 'interrupted'; readonly interrupts?: readonly RaisedInterrupt[] }
  | { readonly status: 'cancelled' }
  | { readonly status: 'error'; readonly name: string; readonly message: string }

export function beginRun(work: Work, run: string): void {
  const { state } = work
  if (state.phase === 'open') endRun(work, { status: 'interrupted' })
  state.run = run
  state.phase = 'open'
  state.said = layered()
  state.interrupts = []
  state.pending = []
  state.usage = {}
  state.isOff = false
  work.out.push({
    type: EventType.RUN_STARTED,
    threadId: state.thread,
    runId: run,
    ...(state.dialect.v1 && { protocolVersion: PROTOCOL_VERSION }),
  })
}

/** Closes everything that is open in the client, then the run. Nothing may follow but another run. */
export function endRun(work: Work, ending: RunEnding): void {
  const { state } = work
  const interrupts = (ending.status === 'interrupted' ? ending.interrupts : undefined) ?? state.interrupts
  closeAll(work, subagentEnding(ending, interrupts))
  state.phase = 'over'
  const usage = usageOf(work)
  const end = { threadId: state.thread, runId: state.run }
  switch (ending.status) {
    case 'error':
      work.out.push({
        type: EventType.RUN_ERROR,
        message: ending.message === '' ? ending.name : ending.message,
        code: ending.name,
        ...usage,
      })
      return
    case 'cancelled':
      work.out.push({
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
          work.out.push({ type: EventType.CUSTOM, name: 'on_interrupt', value: text })
        }
      }
      work.out.push({
        type: EventType.RUN_FINISHED,
        ...end,
        outcome: { type: 'interrupt', interrupts: interrupts.map((one) => aguiInterrupt(work, one)) },
        ...usage,
      })
      return
    case 'success':
      reconcile(work, ending.messages ?? [])
      break
  }
  const pendingToolCallIds = [...state.pending]
  work.out.push({
    type: EventType.RUN_FINISHED,
    ...end,
    ...(state.dialect.v1 && {
      outcome: { type: 'success' as const, ...(pendingToolCallIds.length > 0 && { pendingToolCallIds }) },
    }),
    ...usage,
  })
}

/**
 * Makes the client's messages those of the thread, when the stream alone did not. A result may hold the whole
 * conversation or only what the run added; with the latter, `isOff` stays for whoever has the thread's messages.
 */
function reconcile(work: Work, messages: readonly Message[]): void {
  const { state } = work
  if (messages.length === 0) return
  const ids = new Set(messages.map((message) => message.id))
  const dropped = keysOf(state.said)
  state.isOff ||= [...dropped].some((id) => !ids.has(id))
  const isWhole = [...keysOf(state.known)].every(
    (id) => ids.has(id) || dropped.has(id) || id.startsWith(resultId('')),
  )
  if (state.isOff && isWhole) {
    state.isOff = false
    state.known = layered(messages.map((message) => [message.id, true as const]))
    work.out.push({ type: EventType.MESSAGES_SNAPSHOT, messages: aguiMessages(messages, state.dialect) })
    return
  }
  for (const message of messages) if (isUnseen(work, message)) showWhole(work, message)
}

function isUnseen({ state }: Work, { id, role, tool_call_id }: Message): boolean {
  if (entryOf(state.known, id) !== undefined || role === 'system') return false
  if (role !== 'tool') return id !== ''
  return tool_call_id !== undefined && entryOf(state.known, resultId(tool_call_id)) === undefined
}

/** A message that was never streamed, as if it were, all at once. */
export function showWhole(work: Work, message: Message): void {
  know(work, message.id)
  if (message.role === 'tool') {
    const toolCallId = message.tool_call_id ?? message.id
    const messageId = resultId(toolCallId)
    know(work, messageId)
    work.out.push({
      type: EventType.TOOL_CALL_RESULT,
      messageId,
      toolCallId,
      content: message.text,
      role: 'tool',
    })
    return
  }
  const calls = message.tool_calls ?? []
  if (message.text !== '' || calls.length === 0) {
    work.out.push({ type: EventType.TEXT_MESSAGE_START, messageId: message.id, role: message.role })
    if (message.text !== '')
      work.out.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: message.id, delta: message.text })
    work.out.push({ type: EventType.TEXT_MESSAGE_END, messageId: message.id })
  }
  for (const call of calls) wholeToolCall(work, null, call, message.id)
}

function closeAll(work: Work, ending: SubagentEnding): void {
  const open = Object.values(work.state.calls).reverse()
  for (const { id } of open) {
    const call = work.state.calls[id]
    if (call === undefined) continue
    closeMessage(work, call)
    closeStep(work, call)
    retire(work, work.state.calls[id] ?? call, ending)
    const { message: _closed, step: _left, ...rest } = work.state.calls[id] ?? call
    putCall(work, rest)
  }
}

/** Leaves a call's step, unless another call is in the same one. */
export function closeStep(work: Work, call: OpenCall): void {
  if (call.step === undefined) return
  const { step: stepName, ...rest } = call
  putCall(work, rest)
  const isShared = Object.values(work.state.calls).some(
    (other) => other.id !== call.id && other.owner === call.owner && other.step === stepName,
  )
  if (!isShared) work.out.push({ type: EventType.STEP_FINISHED, stepName, ...tag(call.owner) })
}

function subagentEnding(ending: RunEnding, interrupts: readonly RaisedInterrupt[]): SubagentEnding {
  switch (ending.status) {
    case 'success':
      return { type: 'success' }
    case 'interrupted':
      return { type: 'suspended', interruptIds: interrupts.map((one) => one.id) }
    case 'cancelled':
      return { type: 'error', message: 'The run was cancelled.', code: 'cancelled' }
    case 'error':
      return { type: 'error', message: ending.message, code: ending.name }
  }
}

function aguiInterrupt(work: Work, { id, value, tool_call_id, owner }: RaisedInterrupt): AguiInterrupt {
  const message = promptOf(value)
  return {
    id,
    reason: tool_call_id === undefined ? 'interrupt' : 'tool_approval',
    ...(message !== undefined && { message }),
    ...(tool_call_id !== undefined && { toolCallId: tool_call_id }),
    metadata: { value },
    ...(work.state.dialect.subagents ? tag(owner) : {}),
  }
}

function promptOf(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = new Map(Object.entries(value))
  for (const key of ['message', 'question', 'description', 'prompt']) {
    const said = fields.get(key)
    if (typeof said === 'string') return said
  }
  return undefined
}

function usageOf(work: Work): { usage?: TokenUsage[] } {
  const entries = Object.entries(work.state.usage)
  if (!work.state.dialect.v1 || entries.length === 0) return {}
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
