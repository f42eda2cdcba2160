import { coerce, type Delta, isRecord, type Json, type Todo } from '@clewline/core'
import type { Call } from './call.ts'
import { fileText, filesOf } from './files-of.ts'
import type { Scope } from './scope.ts'

/**
 * What readers have been told of plan, files and state. A tool says what it changed; a saved state is compared with
 * the picture, and only what differs is said, at the graph that saved it.
 */
export interface Picture {
  /** Takes what is already known: the state that a graph starts from is in its input, or was told by an earlier run. */
  know(values: unknown, scope: Scope): void
  /** What is new in a change that was announced at `scope`, or null. */
  announce(change: unknown, scope: Scope): Delta | null
  /** What is new in a saved state, or null. */
  reconcile(saved: SavedState): Delta | null
}

interface SavedState {
  readonly scope: Scope
  readonly step: number
  readonly values: Readonly<Record<string, unknown>>
  readonly changed: ReadonlySet<string>
}

interface Known<T> {
  readonly value: T
  /** Who said it, or null for what was there before. */
  readonly by: Scope | null
  /** True once a saved state had it: only then its absence from a later state means that it was removed. */
  readonly isSaved: boolean
  /** Later is larger; 0 for what was there before. */
  readonly at: number
}

/** Channels that are shown in other ways, or that are an agent's own bookkeeping. */
const NOT_STATE = new Set(['messages', 'todos', 'files', 'jumpTo'])
const STATE_LIMITS = { total: 65_536 }

export function createPicture(): Picture {
  const files = new Map<string, Known<string>>()
  let todos: Known<string> | null = null
  const states = new WeakMap<Call, Map<string, string>>()
  const begun = new WeakMap<Call, number>()
  let told = 0

  function know(values: unknown, scope: Scope): void {
    if (!isRecord(values)) return
    stateDelta(scope.call, stateOf(values, Object.keys(values)))
    begun.set(scope.call, told)
    if (scope.parent !== null) return
    for (const [name, value] of Object.entries(filesOf(values['files'])))
      files.set(name, { value, by: null, isSaved: true, at: 0 })
    const list = todosOf(values['todos'])
    if (list !== null) todos = { value: JSON.stringify(list), by: null, isSaved: true, at: 0 }
  }

  function announce(change: unknown, scope: Scope): Delta | null {
    if (!isRecord(change)) return null
    const plan = planDelta(change['todos'], scope)
    const { set, removed } = fileChange(change['files'])
    const state = isRecord(change['state'])
      ? stateDelta(graphOf(scope), Object.entries(change['state']))
      : null
    return deltaOf(plan, filesDelta(set, removed, scope, false), state)
  }

  function reconcile({ scope, step, values, changed }: SavedState): Delta | null {
    const isRoot = scope.parent === null
    const isStale = (known: Known<unknown> | null | undefined): boolean =>
      isAfter(known?.by, scope.call, step)
    const plan =
      (isRoot || changed.has('todos')) && !isStale(todos) ? planDelta(values['todos'], scope) : null
    const now = (isRoot && 'files' in values) || changed.has('files') ? filesOf(values['files']) : null
    const removed =
      isRoot && now !== null
        ? [...files].flatMap(([name, known]) => (known.isSaved && !(name in now) ? [name] : []))
        : []
    // A graph inside another has files of its own. What others said since it began is newer than its copy.
    const since = begun.get(scope.call) ?? 0
    const isElsewhere = (known: Known<unknown> | undefined): boolean =>
      !isRoot && known !== undefined && known.at > since && !isInside(known.by, scope.call)
    const fresh = (name: string): boolean => !isStale(files.get(name)) && !isElsewhere(files.get(name))
    const set = Object.fromEntries(Object.entries(now ?? {}).filter(([name]) => fresh(name)))
    const state = stateDelta(scope.call, stateOf(values, changed))
    return deltaOf(plan, filesDelta(set, removed.filter(fresh), scope, true), state)
  }

  function planDelta(value: unknown, by: Scope): readonly Todo[] | null {
    const list = todosOf(value)
    if (list === null) return null
    const text = JSON.stringify(list)
    if (text === (todos?.value ?? '[]')) return null
    todos = { value: text, by, isSaved: false, at: ++told }
    return list
  }

  function filesDelta(
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
      files.set(name, { value, by, isSaved, at: ++told })
    }
    const gone = removed.filter((name) => files.delete(name))
    const delta = {
      ...(Object.keys(added).length > 0 && { added }),
      ...(Object.keys(changed).length > 0 && { changed }),
      ...(gone.length > 0 && { removed: gone }),
    }
    return Object.keys(delta).length > 0 ? delta : null
  }

  function stateDelta(
    call: Call,
    entries: readonly (readonly [string, unknown])[],
  ): Record<string, Json> | null {
    const known = states.get(call) ?? new Map<string, string>()
    states.set(call, known)
    const delta: Record<string, Json> = {}
    for (const [name, value] of entries) {
      const json = coerce(value, STATE_LIMITS)
      const text = JSON.stringify(json)
      if (known.get(name) === text) continue
      known.set(name, text)
      delta[name] = json
    }
    return Object.keys(delta).length > 0 ? delta : null
  }

  return { know, announce, reconcile }
}

function stateOf(values: Readonly<Record<string, unknown>>, names: Iterable<string>): [string, unknown][] {
  return [...names]
    .filter((name) => !NOT_STATE.has(name) && !name.startsWith('_') && name in values)
    .map((name) => [name, values[name]])
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

/** Either a `files` channel's update (name to file, null removes) or a delta (`added`, `changed`, `removed`). */
function fileChange(value: unknown): { set: Record<string, string>; removed: readonly string[] } {
  if (!isRecord(value)) return { set: {}, removed: [] }
  const { added, changed, removed } = value
  if (isMap(added) || isMap(changed) || Array.isArray(removed)) {
    const gone = Array.isArray(removed) ? removed.filter((name) => typeof name === 'string') : []
    return { set: { ...filesOf(added), ...filesOf(changed) }, removed: gone }
  }
  return { set: filesOf(value), removed: Object.keys(value).filter((name) => value[name] === null) }
}

/** Not a file that happens to be called "added". */
const isMap = (value: unknown): boolean => isRecord(value) && fileText(value) === null

const STATUSES = new Set(['pending', 'in_progress', 'completed'])

function todosOf(value: unknown): readonly Todo[] | null {
  if (!Array.isArray(value)) return null
  return value.filter(isRecord).map(({ content, status }) => ({
    content: typeof content === 'string' ? content : '',
    status: isStatus(status) ? status : 'pending',
  }))
}

const isStatus = (value: unknown): value is Todo['status'] => typeof value === 'string' && STATUSES.has(value)

function graphOf(scope: Scope): Call {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at.isGraph) return at.call
  return scope.call
}

function isInside(by: Scope | null, call: Call): boolean {
  for (let at = by; at !== null; at = at.parent) if (at.call === call) return true
  return false
}

/**
 * True when something was said in a later step of `graph` than `step`. States are saved in the background, so an old
 * one may arrive after a newer change was told; it must not take that back.
 */
function isAfter(by: Scope | null | undefined, graph: Call, step: number): boolean {
  for (let at = by ?? null; at !== null; at = at.parent)
    if (at.parent?.isGraph === true && at.parent.call === graph && !at.isGraph) return at.step > step
  return false
}
