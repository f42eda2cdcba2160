import type { Delta } from '@clewline/core'
import { beginHeld, warning } from './begin-call.ts'
import type { ObservedRun } from './observed-run.ts'
import type { Scope } from './scope.ts'
import { isEmpty, writerEvent } from './writer-event.ts'

/** Says what was written or yielded inside a scope, at the very call that did. */
export function sayUpdate(run: ObservedRun, scope: Scope, value: unknown): Promise<void> {
  const { call } = scope
  const { path, agent } = call
  const { update, delta: change, warning: warned } = writerEvent(value)
  const delta = run.picture.announce(change, scope)
  return inOrder([
    () => (run.held.size === 0 ? undefined : beginHeld(run, call)),
    () => (warned === null ? undefined : run.emit(warning(path, agent, warned))),
    () =>
      isEmpty(update, delta)
        ? undefined
        : run.emit({
            type: 'tool_update',
            path,
            agent,
            payload: { tool_name: call.name, ...update, ...(delta !== null && { delta }) },
          }),
  ])
}

/** Says what a call changed. */
export async function sayDelta(run: ObservedRun, scope: Scope, delta: Delta | null): Promise<void> {
  if (delta === null) return
  const { path, agent, name } = scope.call
  await beginHeld(run, scope.call)
  await run.emit({ type: 'tool_update', path, agent, payload: { tool_name: name, delta } })
}

/**
 * One after the other, but at once while nothing has to be waited for: a writer is not awaited by those who call it,
 * and what they write next must not overtake.
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
