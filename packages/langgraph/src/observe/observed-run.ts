import type { CallPath, Draft, RunRequest } from '@clewline/core/source'
import { type Call, graphCall } from './call.ts'
import { createPicture, type Picture } from './picture.ts'
import { graphScope, type Scope } from './scope.ts'

/** Everything that is known about one run while it is observed. Two runs at once have one each and share nothing. */
export interface ObservedRun {
  readonly kind: RunRequest['kind']
  readonly root: Call
  readonly rootScope: Scope
  /** By LangChain's run id. */
  readonly scopes: Map<string, Scope>
  /** The graphs that were started under a run id, in order. */
  readonly graphs: Map<string, Call[]>
  /** Calls that have started and not ended, in the order of their start. */
  readonly open: Set<Call>
  /** Where each interrupt was asked, by the object that LangGraph hands up unchanged from level to level. */
  readonly asked: WeakMap<object, Scope>
  /** Starts of calls that an earlier run left open: said as a resume or as a new attempt, whichever it turns out to be. */
  readonly held: Map<Call, Draft>
  readonly picture: Picture
  /** The scope directly inside a graph. */
  readonly inside: WeakMap<Call, Scope>
  readonly isSubagent: (tool: string) => boolean
  /** Names of the tools that the client runs. */
  readonly frontend: ReadonlySet<string>
  emit(draft: Draft): void | Promise<void>
  /** An earlier run of this trace left the call open, and this run has not come to it yet. */
  wasOpen(path: CallPath): boolean
  /** An earlier run of this trace left the call open, whether or not this one has come to it. */
  wasOpenAt(path: CallPath): boolean
  isCancelled(): boolean
  /** True once for each error object: it is told with its stack at the deepest call only. */
  isFirst(error: unknown): boolean
  /** What the root graph ended with. */
  output: unknown
}

export interface ObservedRunOptions {
  readonly name: string
  readonly agent: string
  readonly kind: RunRequest['kind']
  readonly signal: AbortSignal
  readonly isSubagent: (tool: string) => boolean
  readonly frontend: ReadonlySet<string>
  emit(draft: Draft): void | Promise<void>
  isOpen(path: CallPath): boolean
}

export function observedRun(options: ObservedRunOptions): ObservedRun {
  const root: Call = {
    path: [],
    kind: 'graph',
    name: options.name,
    agent: options.agent,
    parent: null,
    node: undefined,
    toolCallId: undefined,
    isOpen: true,
    usage: {},
    graph: graphCall(),
  }
  const rootScope = graphScope(root, null)
  const come = new Set<string>()
  const told = new WeakSet<object>()
  return {
    kind: options.kind,
    root,
    rootScope,
    scopes: new Map(),
    graphs: new Map(),
    open: new Set([root]),
    asked: new WeakMap(),
    held: new Map(),
    picture: createPicture(),
    inside: new WeakMap([[root, rootScope]]),
    isSubagent: options.isSubagent,
    frontend: options.frontend,
    emit: (draft) => options.emit(draft),
    wasOpen(path) {
      if (options.kind === 'input') return false
      const key = path.join('\u0000')
      if (come.has(key)) return false
      come.add(key)
      return options.isOpen(path)
    },
    wasOpenAt: (path) => options.kind !== 'input' && options.isOpen(path),
    isCancelled: () => options.signal.aborted,
    isFirst(error) {
      if (typeof error !== 'object' || error === null) return true
      if (told.has(error)) return false
      told.add(error)
      return true
    },
    output: undefined,
  }
}

/** The scope of a run id; the root's for a run whose parent nobody announced. */
export function scopeFor(run: ObservedRun, id: string | undefined): Scope {
  return (id === undefined ? undefined : run.scopes.get(id)) ?? run.rootScope
}
