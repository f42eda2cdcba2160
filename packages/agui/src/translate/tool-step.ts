import { type ContentPart, EventType } from '@ag-ui/core'
import { isRecord } from '@clewline/core'
import type { Envelope, Json, Message } from '@clewline/core'
import { messageOf, textOf } from '@clewline/core/message'
import { resultId } from './agui-messages.ts'
import { aguiParts } from './agui-parts.ts'
import { enterStep } from './enter-step.ts'
import { entryOf } from './grow-only-map.ts'
import { abandon } from './llm-step.ts'
import { wholeToolCall } from './message-events.ts'
import { closeStep, endRun, showWhole } from './run-boundary.ts'
import { statePatch } from './state-patch.ts'
import { announce, retire } from './subagent-events.ts'
import type { OpenCall } from './translator-state.ts'
import {
  dropCall,
  isVisible,
  markKnown,
  ownerBelow,
  ownerOf,
  putCall,
  putToolCall,
  tag,
  toolCallName,
} from './transition.ts'
import type { Transition } from './transition.ts'

type Of<T extends Envelope['type']> = Extract<Envelope, { type: T }>

export function startTool(next: Transition, envelope: Of<'tool_start'>): void {
  const { call_id, parent_id, payload } = envelope
  const args = new Map(Object.entries(isRecord(payload.args) ? payload.args : {}))
  const isSubagent = payload.kind === 'subagent'
  const description = args.get('description')
  const earlier = next.state.calls[call_id]
  if (earlier !== undefined) {
    retire(next, earlier, { type: 'error', message: 'It is tried again.', code: 'retried' })
    closeStep(next, earlier)
  }
  const owner = ownerBelow(next, parent_id)
  const asked = payload.meta?.tool_call_id
  const call: OpenCall = {
    id: call_id,
    parent: parent_id,
    kind: payload.kind,
    name: isSubagent ? subagentName(envelope, args.get('subagent_type')) : payload.tool_name,
    owner,
    attempt: payload.attempt ?? 1,
    ...(asked !== undefined && { toolCallId: toolCallName(next.state.toolCalls, owner, asked) }),
    ...(isSubagent && typeof description === 'string' && { description }),
  }
  putCall(next, call)
  if (parent_id === null) return showInput(next, payload.input ?? null)
  if (call.toolCallId !== undefined && isVisible(next, call.owner)) {
    if (entryOf(next.state.toolCalls, call.toolCallId) === undefined) {
      const { toolCallId: id } = call
      wholeToolCall(next, owner, { id, name: payload.tool_name, args: payload.args ?? {} })
    }
  }
  enterStep(next, call, stepOf(call, payload.node))
  if (isSubagent) announce(next, ownerOf(call))
}

/** What a call is called in the client's list of steps. A call that the chat shows as a tool call needs no second name. */
function stepOf(call: OpenCall, node: string | undefined): string | undefined {
  return call.toolCallId === undefined && call.kind !== 'subagent' ? (node ?? call.name) : node
}

export function updateTool(next: Transition, { call_id, payload }: Of<'tool_update'>): void {
  const call = next.state.calls[call_id]
  const owner = call?.kind === 'subagent' ? ownerOf(call) : (call?.owner ?? null)
  // A client has one state and applies every delta to it: deltas of a sub-agent's own state are dropped.
  if (payload.delta !== undefined && owner === null) {
    const { patch, hasFiles } = statePatch(payload.delta, next.state.hasFiles)
    next.state.hasFiles = hasFiles
    if (patch.length > 0) next.out.push({ type: EventType.STATE_DELTA, delta: patch })
  }
  const { tool_name: toolName, text, progress, data } = payload
  if (!isVisible(next, owner) || (text === undefined && progress === undefined && data === undefined)) return
  announce(next, owner)
  const content = {
    toolName,
    ...(call?.toolCallId !== undefined && { toolCallId: call.toolCallId }),
    ...(text !== undefined && { text }),
    ...(progress !== undefined && { progress: { ...progress } }),
    ...(data !== undefined && { data }),
  }
  const from = next.state.dialect.subagents ? tag(owner) : {}
  if (next.state.dialect.activities && data === undefined) {
    next.out.push({
      type: EventType.ACTIVITY_SNAPSHOT,
      messageId: `activity-${call_id}`,
      activityType: 'tool_update',
      content,
      replace: true,
      ...from,
    })
  } else {
    next.out.push({ type: EventType.CUSTOM, name: 'tool_update', value: content, ...from })
  }
}

export function endTool(next: Transition, { call_id, parent_id, payload }: Of<'tool_end'>): void {
  const call = next.state.calls[call_id]
  if (call === undefined) return
  const isCancelled = payload.status === 'cancelled'
  if (parent_id === null) {
    dropCall(next, call_id)
    const messages = isCancelled ? [] : completionMessages(payload.result)
    return endRun(next, isCancelled ? { status: 'cancelled' } : { status: 'success', messages })
  }
  if (payload.status === 'pending_frontend') {
    if (call.toolCallId !== undefined && call.owner === null)
      next.state.pending = [...next.state.pending, call.toolCallId]
  } else if (!isCancelled) {
    answer(next, call, resultContent(next, call, payload.result))
  }
  leave(
    next,
    call,
    isCancelled ? { type: 'error', message: 'Cancelled.', code: 'cancelled' } : { type: 'success' },
  )
}

export function failCall(next: Transition, { call_id, parent_id, payload }: Of<'error'>): void {
  const call = next.state.calls[call_id]
  if (call === undefined) return
  if (parent_id === null) {
    dropCall(next, call_id)
    return endRun(next, { status: 'error', name: payload.class, message: payload.message })
  }
  if (call.kind === 'llm') {
    abandon(next, call)
    return dropCall(next, call_id)
  }
  answer(next, call, `Error: ${payload.message}`)
  leave(next, call, { type: 'error', message: payload.message, code: payload.class })
}

function leave(next: Transition, call: OpenCall, ending: Parameters<typeof retire>[2]): void {
  retire(next, call, ending)
  closeStep(next, call)
  dropCall(next, call.id)
}

function answer(next: Transition, call: OpenCall, content: string | ContentPart[]): void {
  const { toolCallId } = call
  if (toolCallId === undefined || !isVisible(next, call.owner)) return
  const shown = entryOf(next.state.toolCalls, toolCallId)
  if (shown?.isAnswered) {
    if (call.owner === null) next.state.isDiverged = true
    return
  }
  if (shown?.isOpen) next.out.push({ type: EventType.TOOL_CALL_END, toolCallId, ...tag(shown.owner) })
  const messageId = resultId(toolCallId)
  next.out.push({
    type: EventType.TOOL_CALL_RESULT,
    messageId,
    toolCallId,
    content,
    role: 'tool',
    ...tag(call.owner),
  })
  markKnown(next, messageId)
  putToolCall(next, toolCallId, {
    call: shown?.call ?? null,
    owner: call.owner,
    isOpen: false,
    isAnswered: true,
  })
}

/** Shows input messages that the client does not have: a cron's, or another device's. */
function showInput(next: Transition, input: Json): void {
  for (const message of inputMessages(input)) {
    if (message.role === 'user' && message.id !== '' && entryOf(next.state.known, message.id) === undefined)
      showWhole(next, message)
  }
}

function inputMessages(input: Json): readonly Message[] {
  const messages = isRecord(input) ? new Map(Object.entries(input)).get('messages') : undefined
  return Array.isArray(messages) ? messages.flatMap((message: Json) => messageOf(message) ?? []) : []
}

function completionMessages(result: Json): readonly Message[] {
  return inputMessages(result)
}

/** Content blocks of a tool are shown as the snapshot has them: as parts, or as their text. */
function resultContent(next: Transition, call: OpenCall, result: Json): string | ContentPart[] {
  const parts = call.kind === 'tool' && Array.isArray(result) ? aguiParts(result) : null
  if (parts === null) return resultText(call, result)
  return next.state.dialect.v1 ? parts : textOf(result)
}

function resultText(call: OpenCall, result: Json): string {
  if (typeof result === 'string') return result
  if (call.kind === 'tool') return messageOf(result)?.text ?? JSON.stringify(result)
  const last = completionMessages(result).findLast((message) => message.role === 'assistant')
  return last?.text ?? ''
}

function subagentName(envelope: Of<'tool_start'>, asked: Json | undefined): string {
  if (typeof asked === 'string' && asked !== '') return asked
  return envelope.payload.tool_name
}
