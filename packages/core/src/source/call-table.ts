import { callId } from './call-id.ts'
import type { CallPath } from './draft.ts'
import type { CallFamily } from '../call-family.ts'
import type { CallKind, Envelope, SubgraphCheckpoint } from '../envelope.ts'

/** What a ledger must know of a call to go on with it. */
export interface Call {
  readonly id: string
  readonly parent: Call | null
  readonly is: CallFamily
  kind: CallKind | null
  name: string
  agent: string
  seq: number
  attempt: number
  isOpen: boolean
  /** Insertion order is start order. */
  readonly openChildren: Set<Call>
  /** The question it waits on. */
  wait: Wait | null
}

interface Wait {
  readonly checkpoint_id: string
  readonly node: string
  readonly run_id: string
  readonly ids: readonly string[]
}

/** The calls of one trace. */
export interface CallTable {
  at(path: CallPath): Call | undefined
  create(path: CallPath, parent: Call | null, is: CallFamily): Call
  /** Takes in what the log already holds. */
  recall(envelope: Envelope): void
  /** The call that waits on this interrupt. */
  asker(interrupt: string): Call | undefined
  all(): Iterable<Call>
}

export function createCallTable(trace_id: string): CallTable {
  const calls = new Map<string, Call>()
  // Sources hand in the same array for each token of a call: this spares joining and hashing it again.
  const byPath = new WeakMap<CallPath, Call>()
  const ids = new Map<string, string>()

  function idOf(path: CallPath): string {
    const key = path.join('\u0000')
    let id = ids.get(key)
    if (id === undefined) {
      id = callId(trace_id, path)
      ids.set(key, id)
    }
    return id
  }

  function add(id: string, parent: Call | null, is: CallFamily): Call {
    const call: Call = {
      id,
      parent,
      is,
      kind: null,
      name: '',
      agent: '',
      seq: 0,
      attempt: 0,
      isOpen: false,
      openChildren: new Set(),
      wait: null,
    }
    calls.set(id, call)
    return call
  }

  function recalled({ call_id, parent_id, type }: Envelope): Call {
    const parent = parent_id === null ? null : (calls.get(parent_id) ?? null)
    return calls.get(call_id) ?? add(call_id, parent, type === 'llm_start' ? 'llm' : 'tool')
  }

  return {
    at(path) {
      let call = byPath.get(path)
      if (call === undefined) {
        call = calls.get(idOf(path))
        if (call !== undefined) byPath.set(path, call)
      }
      return call
    },
    create: (path, parent, is) => add(idOf(path), parent, is),
    recall(envelope) {
      if (envelope.trace_id !== trace_id) return
      const call = recalled(envelope)
      call.seq = envelope.seq
      switch (envelope.type) {
        case 'tool_start':
        case 'llm_start':
          begin(call, envelope)
          call.attempt = envelope.payload.attempt ?? 1
          break
        case 'tool_end':
        case 'llm_end':
        case 'error':
          finish(call)
          break
        case 'subgraph_checkpoint':
          pause(call, envelope.payload, envelope.run_id)
          break
        case 'subgraph_resume':
          goOn(call)
          break
        case 'tool_update':
        case 'llm_token':
        case 'warning':
          break
      }
    },
    asker(interrupt) {
      for (const call of calls.values()) if (call.wait?.ids.includes(interrupt)) return call
      return undefined
    },
    all: () => calls.values(),
  }
}

/** The call starts, again or for the first time. */
export function begin(
  call: Call,
  start: Pick<Extract<Envelope, { type: 'tool_start' | 'llm_start' }>, 'type' | 'payload' | 'agent'>,
): void {
  if ('tool_name' in start.payload) {
    call.name = start.payload.tool_name
    call.kind = start.payload.kind
  } else {
    call.name = start.payload.model
  }
  call.agent = start.agent
  call.attempt += 1
  call.isOpen = true
  call.parent?.openChildren.add(call)
  goOn(call)
}

export function finish(call: Call): void {
  call.isOpen = false
  call.wait = null
  call.parent?.openChildren.delete(call)
}

export function pause(call: Call, checkpoint: SubgraphCheckpoint['payload'], run_id: string): void {
  const { checkpoint_id, node, interrupts = [] } = checkpoint
  if (interrupts.length === 0) return
  const ids = [...(call.wait?.ids ?? []), ...interrupts.map(({ id }) => id)]
  call.wait = { checkpoint_id, node, run_id, ids }
}

/** The call goes on, and with it every call inside it. */
export function goOn(call: Call): void {
  call.wait = null
  for (const inner of openBelow(call)) inner.wait = null
}

/** The open calls inside a call, the deepest first, the last started first. */
export function openBelow(call: Call): readonly Call[] {
  const found = [...call.openChildren]
  // Breadth-first, not recursive: a log could nest deeper than the stack.
  for (const inner of found) for (const child of inner.openChildren) found.push(child)
  return found.reverse()
}
