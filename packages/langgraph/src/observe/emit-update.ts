import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import { coerce, type Delta, type Envelope, isRecord, type JsonObject } from '@clewline/core'
import { beginHeld } from './begin-call.ts'
import { type Call, parentRun, scopeFor } from './calls.ts'
import type { ObservedRun } from './observed-run.ts'
import type { Scope } from './scope.ts'

export interface Warning extends JsonObject {
  readonly code: string
  readonly message: string
}

/**
 * LangGraph's `config.writer` for one run. The runnable that is running when it is called determines which call wrote,
 * also when two tools write at once; LangGraph's own writer knows the namespace only.
 */
export function writerFor(run: ObservedRun): (value: unknown) => Promise<void> {
  return (value) => {
    const config: unknown = AsyncLocalStorageProviderSingleton.getRunnableConfig()
    return emitWritten(run, scopeFor(run.calls, parentRun(config)), value)
  }
}

/** Emits what was written or yielded inside a scope, at the very call that did. */
export function emitWritten(run: ObservedRun, scope: Scope, value: unknown): Promise<void> {
  const { call } = scope
  const { path, agent, name } = call
  const { update, delta: change, warning } = writerEvent(value)
  const delta = run.mirror.diffChange(change, scope)
  const isEmpty = delta === null && Object.keys(update).length === 0
  const payload = { tool_name: name, ...update, ...(delta !== null && { delta }) }
  return inOrder([
    () => (run.calls.held.size === 0 ? undefined : beginHeld(run, call)),
    () => (warning === null ? undefined : emitWarning(run, call, warning)),
    () => (isEmpty ? undefined : run.emit({ type: 'tool_update', path, agent, payload })),
  ])
}

/** Emits what a call changed. */
export async function emitDelta(run: ObservedRun, call: Call, delta: Delta | null): Promise<void> {
  if (delta === null) return
  const { path, agent, name } = call
  await beginHeld(run, call)
  await run.emit({ type: 'tool_update', path, agent, payload: { tool_name: name, delta } })
}

export function emitWarning(run: ObservedRun, { path, agent }: Call, payload: Warning): void | Promise<void> {
  return run.emit({ type: 'warning', path, agent, payload })
}

/**
 * Sequential, and synchronous while nothing has to be waited for: graphs do not await their writer, and what they write
 * next must not overtake.
 */
function inOrder(steps: readonly (() => void | Promise<void> | undefined)[]): Promise<void> {
  let last: Promise<void> | null = null
  for (const step of steps) {
    if (last !== null) last = last.then(step)
    else {
      const done = step()
      if (done instanceof Promise) last = done
    }
  }
  return last ?? Promise.resolve()
}

/**
 * What code inside a graph may write to `config.writer` to be understood rather than just shown:
 * `{clewline: {text?, progress?: {done, total?}, delta?: {todos?, files?, state?}, warning?: {code, message, …facts}}}`.
 */
interface WriterEvent {
  readonly update: Omit<Extract<Envelope, { type: 'tool_update' }>['payload'], 'tool_name' | 'delta'>
  /** Not yet compared with what was emitted before. */
  readonly delta: unknown
  readonly warning: Warning | null
}

/** Any value that was written, or yielded by a tool: text is text, and what is not ours is data. */
function writerEvent(value: unknown): WriterEvent {
  if (typeof value === 'string') return { update: { text: value }, delta: null, warning: null }
  const ours = isRecord(value) ? value['clewline'] : undefined
  if (!isRecord(ours)) return { update: { data: coerce(value) }, delta: null, warning: null }
  const { text, progress, delta, warning } = ours
  return {
    update: {
      ...(typeof text === 'string' && { text }),
      ...(isRecord(progress) && typeof progress['done'] === 'number' && { progress: progressOf(progress) }),
    },
    delta: delta ?? null,
    warning: warningOf(warning),
  }
}

function progressOf({ done, total }: Record<string, unknown>): { done: number; total?: number } {
  return { done: Number(done), ...(typeof total === 'number' && { total }) }
}

function warningOf(value: unknown): WriterEvent['warning'] {
  if (!isRecord(value)) return null
  const { code, message, ...facts } = value
  const known = coerce(facts)
  return {
    ...(isRecord(known) && known),
    code: typeof code === 'string' ? code : 'warning',
    message: typeof message === 'string' ? message : '',
  }
}
