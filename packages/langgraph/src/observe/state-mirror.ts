import { coerce, type Delta, isRecord, type Json, type Todo } from '@clewline/core'
import type { Call } from './calls.ts'
import { fileChange, filesOf, stateIn, todosOf } from './read-channels.ts'
import type { Scope } from './scope.ts'

/**
 * A mirror of the plan, the files and the state that were emitted last. A tool reports what it changed; a saved state
 * is compared with the mirror, and only the difference is emitted, at the graph that saved it.
 */
export interface StateMirror {
  /** Takes over a state without a difference: what a graph starts from is in its input, or an earlier run emitted it. */
  seed(values: unknown, scope: Scope): void
  /** True once the graph of a scope has its start state. */
  isSeeded(scope: Scope): boolean
  /** What is new in a change that was reported at `scope`, or null. */
  diffChange(change: unknown, scope: Scope): Delta | null
  /** What is new in a saved state, or null. */
  diffState(saved: SavedState): Delta | null
}

interface SavedState {
  readonly scope: Scope
  readonly step: number
  readonly values: Readonly<Record<string, unknown>>
  readonly changed: ReadonlySet<string>
}

interface Mirrored<T> {
  readonly value: T
  /** The scope that reported it, or null for what was there before. */
  readonly by: Scope | null
  /** True once a saved state had it: only then its absence from a later state means that it was removed. */
  readonly isSaved: boolean
  /** Logical time of the change, monotonic; 0 for what was there before. */
  readonly at: number
}

export function createStateMirror(): StateMirror {
  const files = new Map<string, Mirrored<string>>()
  let todos: Mirrored<string> | null = null
  const states = new WeakMap<Call, Map<string, string>>()
  /** When each graph started, in logical time. */
  const seeded = new WeakMap<Call, number>()
  let clock = 0

  function seed(values: unknown, scope: Scope): void {
    if (!isRecord(values)) return
    diffChannels(scope.call, stateIn(values, Object.keys(values)))
    seeded.set(scope.call, clock)
    if (scope.parent !== null) return
    for (const [name, value] of Object.entries(filesOf(values['files'])))
      files.set(name, { value, by: null, isSaved: true, at: 0 })
    const list = todosOf(values['todos'])
    if (list !== null) todos = { value: JSON.stringify(list), by: null, isSaved: true, at: 0 }
  }

  function diffChange(change: unknown, scope: Scope): Delta | null {
    if (!isRecord(change)) return null
    const plan = diffTodos(change['todos'], scope)
    const { set, removed } = fileChange(change['files'])
    const state = isRecord(change['state'])
      ? diffChannels(graphOf(scope), Object.entries(change['state']))
      : null
    return deltaOf(plan, diffFiles(set, removed, scope, false), state)
  }

  function diffState({ scope, step, values, changed }: SavedState): Delta | null {
    const isRoot = scope.parent === null
    const isStale = (known: Mirrored<unknown> | null | undefined): boolean =>
      isAfter(known?.by, scope.call, step)
    const plan =
      (isRoot || changed.has('todos')) && !isStale(todos) ? diffTodos(values['todos'], scope) : null
    const now = (isRoot && 'files' in values) || changed.has('files') ? filesOf(values['files']) : null
    const removed =
      isRoot && now !== null
        ? [...files].flatMap(([name, known]) => (known.isSaved && !(name in now) ? [name] : []))
        : []
    // A graph inside another has a copy of the files. What others reported since it started is newer than its copy.
    const since = seeded.get(scope.call) ?? 0
    const isElsewhere = (known: Mirrored<unknown> | undefined): boolean =>
      !isRoot && known !== undefined && known.at > since && !isInside(known.by, scope.call)
    const isFresh = (name: string): boolean => !isStale(files.get(name)) && !isElsewhere(files.get(name))
    const set = Object.fromEntries(Object.entries(now ?? {}).filter(([name]) => isFresh(name)))
    const state = diffChannels(scope.call, stateIn(values, changed))
    return deltaOf(plan, diffFiles(set, removed.filter(isFresh), scope, true), state)
  }

  function diffTodos(value: unknown, by: Scope): readonly Todo[] | null {
    const list = todosOf(value)
    if (list === null) return null
    const text = JSON.stringify(list)
    if (text === (todos?.value ?? '[]')) return null
    todos = { value: text, by, isSaved: false, at: ++clock }
    return list
  }

  function diffFiles(
    set: Record<string, string>,
    removed: readonly string[],
    by: Scope,
    isSaved: boolean,
  ): Delta['files'] | null {
    const added: Record<string, string> = {}
    const changed: Record<string, string> = {}
    for (const [name, value] of Object.entries(set)) {
      const known = files.get(name)
      if (known?.value === value) {
        if (isSaved && !known.isSaved) files.set(name, { ...known, isSaved })
        continue
      }
      const into = known === undefined ? added : changed
      into[name] = value
      files.set(name, { value, by, isSaved, at: ++clock })
    }
    const gone = removed.filter((name) => files.delete(name))
    const delta = {
      ...(Object.keys(added).length > 0 && { added }),
      ...(Object.keys(changed).length > 0 && { changed }),
      ...(gone.length > 0 && { removed: gone }),
    }
    return Object.keys(delta).length > 0 ? delta : null
  }

  function diffChannels(
    call: Call,
    entries: readonly (readonly [string, unknown])[],
  ): Record<string, Json> | null {
    const known = states.get(call) ?? new Map<string, string>()
    states.set(call, known)
    const delta: Record<string, Json> = {}
    for (const [name, value] of entries) {
      const json = coerce(value)
      const text = JSON.stringify(json)
      if (known.get(name) === text) continue
      known.set(name, text)
      delta[name] = json
    }
    return Object.keys(delta).length > 0 ? delta : null
  }

  return { seed, isSeeded: (scope) => seeded.has(scope.call), diffChange, diffState }
}

function deltaOf(
  todos: readonly Todo[] | null,
  files: Delta['files'] | null,
  state: Record<string, Json> | null,
): Delta | null {
  const delta = {
    ...(todos !== null && { todos }),
    ...(files !== null && files !== undefined && { files }),
    ...(state !== null && { state }),
  }
  return Object.keys(delta).length > 0 ? delta : null
}

function graphOf(scope: Scope): Call {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at.isGraph) return at.call
  return scope.call
}

function isInside(by: Scope | null, call: Call): boolean {
  for (let at = by; at !== null; at = at.parent) if (at.call === call) return true
  return false
}

/**
 * True when something was reported in a later step of `graph` than `step`. States are saved in the background, so an
 * old one may arrive after a newer change was emitted; it must not revert that.
 */
function isAfter(by: Scope | null | undefined, graph: Call, step: number): boolean {
  for (let at = by ?? null; at !== null; at = at.parent)
    if (at.parent?.isGraph === true && at.parent.call === graph && !at.isGraph) return at.step > step
  return false
}
