import type { Event } from '@ag-ui/core'
import { entryOf, type GrowOnlyMap, withEntry } from './grow-only-map.ts'
import type { OpenCall, ShownToolCall, TranslatorState } from './translator-state.ts'

/** A transition in progress: the next state and its events. Fields of `state` are replaced, never mutated. */
export interface Transition {
  state: { -readonly [K in keyof TranslatorState]: TranslatorState[K] }
  readonly out: Event[]
}

export function putCall(next: Transition, call: OpenCall): void {
  next.state.calls = { ...next.state.calls, [call.id]: call }
}

export function dropCall(next: Transition, id: string): void {
  const { [id]: _ended, ...rest } = next.state.calls
  next.state.calls = rest
}

export function putToolCall(next: Transition, id: string, shown: ShownToolCall): void {
  const { state } = next
  state.toolCalls = withEntry(state.toolCalls, id, shown)
  const isStreaming = state.streaming.includes(id)
  if (shown.isOpen && !isStreaming) state.streaming = [...state.streaming, id]
  if (!shown.isOpen && isStreaming) state.streaming = state.streaming.filter((other) => other !== id)
}

export function markKnown(next: Transition, id: string): void {
  if (entryOf(next.state.known, id) === undefined) next.state.known = withEntry(next.state.known, id, true)
}

/** Records that the client has the message, and, in the main chat, that this run has streamed it. */
export function markSaid(next: Transition, call: OpenCall, id: string): void {
  markKnown(next, id)
  const { state } = next
  if (call.owner === null && entryOf(state.said, id) === undefined)
    state.said = withEntry(state.said, id, true)
}

/**
 * A tool call's name on the wire: the model's id for it. Ids that a model makes up (`call_1`) may collide between a
 * sub-agent and the main chat; the second one is prefixed with its owner.
 */
export function toolCallName(
  toolCalls: GrowOnlyMap<ShownToolCall>,
  owner: string | null,
  id: string,
): string {
  const shown = entryOf(toolCalls, id)
  return shown === undefined || shown.owner === owner ? id : `${owner ?? 'main'}/${id}`
}

/** The owner as a field of an event. Events of the main chat must not have the field at all, not even as null. */
export function tag(owner: string | null): { subagentRunId?: string } {
  return owner === null ? {} : { subagentRunId: owner }
}

/** Whether the client can be shown what belongs to `owner` without taking it for the main chat. */
export function isVisible(next: Transition, owner: string | null): boolean {
  return owner === null || next.state.dialect.subagents
}

/** A sub-agent's name on the wire: AG-UI wants one for each invocation, and a second attempt is one. */
export function ownerOf(call: OpenCall): string {
  return call.attempt === 1 ? call.id : `${call.id}#${call.attempt}`
}

/** The inverse of `ownerOf`. */
export function callOfOwner(next: Transition, owner: string): OpenCall | undefined {
  const [id = ''] = owner.split('#', 1)
  return next.state.calls[id]
}

/** The sub-agent that a child of `parent` belongs to. */
export function ownerBelow(next: Transition, parent: string | null): string | null {
  const call = parent === null ? undefined : next.state.calls[parent]
  if (call === undefined) return null
  return call.kind === 'subagent' ? ownerOf(call) : call.owner
}
