import type { CallPath, Draft, RunRequest } from '@clewline/core/source'
import type { IsSubagent } from '../subagent-tools.ts'
import { type Calls, createCalls } from './calls.ts'
import type { Scope } from './scope.ts'
import { createStateMirror, type StateMirror } from './state-mirror.ts'

/** Everything that is known about one run while it is observed. Two runs at once have one each and share nothing. */
export interface ObservedRun {
  readonly calls: Calls
  readonly facts: RunFacts
  readonly mirror: StateMirror
  emit(draft: Draft): void | Promise<void>
}

/** What the run was started with, and what it has established once and for all. */
export interface RunFacts {
  readonly kind: RunRequest['kind']
  readonly isSubagent: IsSubagent
  /** Names of the tools that the client runs. */
  readonly frontend: ReadonlySet<string>
  isCancelled(): boolean
  /** An earlier run of this trace left the call open. */
  readonly wasOpen: (path: CallPath) => boolean
  /** The same, true at the first claim only: a call that is entered again in this run starts anew. */
  claimOpen(path: CallPath): boolean
  /** True at the first claim of an error object: its stack is emitted once, at the deepest call. */
  claimError(error: unknown): boolean
  /** Notes which scope raised interrupts: the first, and so the deepest, that sees them. */
  noteAsker(interrupts: readonly object[], scope: Scope): void
  /** The scope that raised an interrupt, by the object that LangGraph hands up unchanged from level to level. */
  askerOf(interrupt: object): Scope | undefined
  /** The final state of the root graph. */
  output: unknown
}

export interface ObservedRunOptions {
  readonly name: string
  readonly kind: RunRequest['kind']
  readonly isSubagent: IsSubagent
  readonly frontend?: ReadonlySet<string>
  readonly signal?: AbortSignal
  emit(draft: Draft): void | Promise<void>
  readonly isOpen: (path: CallPath) => boolean
}

export function observedRun(options: ObservedRunOptions): ObservedRun {
  return {
    calls: createCalls(options.name),
    facts: createFacts(options),
    mirror: createStateMirror(),
    emit: (draft) => options.emit(draft),
  }
}

function createFacts({ kind, isSubagent, frontend, signal, isOpen }: ObservedRunOptions): RunFacts {
  const claimed = new Set<string>()
  const errors = new WeakSet<object>()
  const askers = new WeakMap<object, Scope>()
  const wasOpen = (path: CallPath): boolean => kind !== 'input' && isOpen(path)
  return {
    kind,
    isSubagent,
    frontend: frontend ?? new Set(),
    isCancelled: () => signal?.aborted === true,
    wasOpen,
    claimOpen(path) {
      if (kind === 'input') return false
      const key = path.join('\u0000')
      if (claimed.has(key)) return false
      claimed.add(key)
      return wasOpen(path)
    },
    claimError(error) {
      if (typeof error !== 'object' || error === null) return true
      if (errors.has(error)) return false
      errors.add(error)
      return true
    },
    noteAsker(interrupts, scope) {
      for (const interrupt of interrupts) if (!askers.has(interrupt)) askers.set(interrupt, scope)
    },
    askerOf: (interrupt) => askers.get(interrupt),
    output: undefined,
  }
}
