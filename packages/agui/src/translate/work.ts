import type { Event } from '@ag-ui/core'
import type { OpenCall, ShownToolCall, TranslatorState } from './translator-state.ts'

/** One step in the making: fields of `state` are replaced, never changed in place. */
export interface Work {
  state: { -readonly [K in keyof TranslatorState]: TranslatorState[K] }
  readonly out: Event[]
}

export function putCall(work: Work, call: OpenCall): void {
  work.state.calls = { ...work.state.calls, [call.id]: call }
}

export function dropCall(work: Work, id: string): void {
  const { [id]: _ended, ...rest } = work.state.calls
  work.state.calls = rest
}

export function putToolCall(work: Work, id: string, shown: ShownToolCall): void {
  work.state.toolCalls = { ...work.state.toolCalls, [id]: shown }
}

export function know(work: Work, id: string): void {
  if (!(id in work.state.known)) work.state.known = { ...work.state.known, [id]: true }
}

/** Events of a sub-agent say so; those of the main chat must not carry the field at all, not even as null. */
export function tag(owner: string | null): { subagentRunId?: string } {
  return owner === null ? {} : { subagentRunId: owner }
}

/** Whether the client can be shown what belongs to `owner` without taking it for the main chat. */
export function isVisible(work: Work, owner: string | null): boolean {
  return owner === null || work.state.dialect.subagents
}
