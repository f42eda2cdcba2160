import { callId } from './call-id.ts'
import type { CallPath, Draft } from './draft.ts'
import type { Envelope, Head, Origin } from '../envelope.ts'
import { SkeinError } from '../skein-error.ts'

/**
 * Turns drafts into envelopes and keeps the rules that every stream obeys, so that no source has to: `seq` without a
 * gap, attempts counted, children ended before their parent, nothing after the end.
 */
export interface Ledger {
  /**
   * The envelopes that a draft becomes: usually one; more when a call ends with calls still open below it; none when
   * the call is already over (a tool that outlived its cancel, say).
   */
  stamp(draft: Draft): readonly Envelope[]
  isOpen(path: CallPath): boolean
  /** Ends every open call, the deepest first. Empty when nothing is open. */
  close(ending: Ending): readonly Envelope[]
  /** `call_id`s of the calls that have started and not ended, in the order of their start. */
  open(): readonly string[]
}

/** How to end calls that did not end by themselves. */
export type Ending =
  | { readonly status: 'cancelled' }
  | { readonly status: 'error'; readonly name: string; readonly message: string }

export interface LedgerOptions {
  readonly trace_id: string
  readonly run_id: string
  /** What the log already holds of this trace: `seq`, attempts and open calls go on from there. */
  readonly history?: Iterable<Envelope>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

interface Call {
  readonly id: string
  readonly parent: Call | null
  readonly is: 'tool' | 'llm'
  name: string
  agent: string
  seq: number
  attempt: number
  isOpen: boolean
  /** Insertion order is start order. */
  readonly openChildren: Set<Call>
}

export function createLedger(options: LedgerOptions): Ledger {
  const { trace_id, run_id } = options
  const now = options.now ?? Date.now
  const calls = new Map<string, Call>()
  // Sources hand in the same array for each token of a call: this spares joining and hashing it again.
  const byPath = new WeakMap<CallPath, Call>()
  const idsByPath = new Map<string, string>()

  for (const envelope of options.history ?? []) {
    if (envelope.trace_id === trace_id) recall(envelope)
  }

  function recall(envelope: Envelope): void {
    const known = calls.get(envelope.call_id)
    const call =
      known ??
      create(envelope.call_id, callOf(envelope.parent_id), envelope.type === 'llm_start' ? 'llm' : 'tool')
    call.seq = envelope.seq
    switch (envelope.type) {
      case 'tool_start':
      case 'llm_start':
        call.name = envelope.type === 'tool_start' ? envelope.payload.tool_name : envelope.payload.model
        call.agent = envelope.agent
        call.attempt = envelope.payload.attempt ?? 1
        setOpen(call, true)
        break
      case 'tool_end':
      case 'llm_end':
      case 'error':
        setOpen(call, false)
        break
      case 'tool_update':
      case 'llm_token':
      case 'subgraph_checkpoint':
      case 'subgraph_resume':
      case 'warning':
        break
    }
  }

  function create(id: string, parent: Call | null, is: Call['is']): Call {
    const call: Call = {
      id,
      parent,
      is,
      name: '',
      agent: '',
      seq: 0,
      attempt: 0,
      isOpen: false,
      openChildren: new Set(),
    }
    calls.set(id, call)
    return call
  }

  function callOf(id: string | null): Call | null {
    return id === null ? null : (calls.get(id) ?? null)
  }

  function idOf(path: CallPath): string {
    const key = path.join('\u0000')
    let id = idsByPath.get(key)
    if (id === undefined) {
      id = callId(trace_id, path)
      idsByPath.set(key, id)
    }
    return id
  }

  function lookup(path: CallPath): Call | undefined {
    let call = byPath.get(path)
    if (call === undefined) {
      call = calls.get(idOf(path))
      if (call !== undefined) byPath.set(path, call)
    }
    return call
  }

  /** The enclosing call: the nearest that is open, because a source may skip a level that had nothing to say. */
  function enclosing(path: CallPath): Call | null {
    for (let depth = path.length - 1; depth >= 0; depth--) {
      const call = lookup(path.slice(0, depth))
      if (call?.isOpen) return call
    }
    if (path.length === 0) return null
    throw new SkeinError(
      'internal',
      `A draft for "${path.join('/')}" came while its run's root call was not open.`,
      {
        hint: 'A source must start its root call (path []) before anything else and end it last.',
      },
    )
  }

  function setOpen(call: Call, isOpen: boolean): void {
    call.isOpen = isOpen
    if (isOpen) call.parent?.openChildren.add(call)
    else call.parent?.openChildren.delete(call)
  }

  function head(call: Call, agent: string, origin: Origin | undefined, ts: number | undefined): Head {
    return {
      ts: ts ?? now() / 1000,
      trace_id,
      run_id,
      call_id: call.id,
      parent_id: call.parent?.id ?? null,
      seq: ++call.seq,
      origin: origin ?? 'live',
      agent,
    }
  }

  function begin(draft: Extract<Draft, { type: 'tool_start' | 'llm_start' }>): Envelope {
    const is = draft.type === 'llm_start' ? 'llm' : 'tool'
    const call = lookup(draft.path) ?? create(idOf(draft.path), enclosing(draft.path), is)
    if (call.parent !== null && !call.parent.isOpen) enclosing(draft.path)
    call.name = draft.type === 'tool_start' ? draft.payload.tool_name : draft.payload.model
    call.agent = draft.agent
    call.attempt += 1
    setOpen(call, true)
    const { attempt: _counted, ...said } = draft.payload
    const payload = call.attempt === 1 ? said : { ...said, attempt: call.attempt }
    return envelopeOf({ ...draft, payload } as Draft, call)
  }

  function envelopeOf(draft: Draft, call: Call): Envelope {
    const { ts, trace_id, run_id, call_id, parent_id, seq, origin, agent } = head(
      call,
      draft.agent,
      draft.origin,
      draft.ts,
    )
    // One literal with one key order: envelopes share a hidden class, and their JSON reads the same everywhere.
    return {
      type: draft.type,
      ts,
      trace_id,
      run_id,
      call_id,
      parent_id,
      seq,
      origin,
      agent,
      payload: draft.payload,
    } as Envelope
  }

  function endBelow(call: Call, ending: Ending, out: Envelope[]): void {
    for (const child of [...call.openChildren].reverse()) {
      endBelow(child, ending, out)
      out.push(endOf(child, ending))
    }
  }

  function endOf(call: Call, ending: Ending): Envelope {
    setOpen(call, false)
    const common = head(call, call.agent, undefined, undefined)
    if (ending.status === 'error') {
      const payload = { name: call.name, message: ending.message, stack: '', class: ending.name }
      return { type: 'error', ...common, payload }
    }
    if (call.is === 'llm') {
      const message = { id: call.id, text: '', tool_calls: [] }
      return { type: 'llm_end', ...common, payload: { usage: {}, finish_reason: 'cancelled', message } }
    }
    return {
      type: 'tool_end',
      ...common,
      payload: { tool_name: call.name, result: null, status: 'cancelled' },
    }
  }

  return {
    stamp(draft) {
      if (draft.type === 'tool_start' || draft.type === 'llm_start') return [begin(draft)]
      const call = lookup(draft.path)
      if (draft.type === 'warning') {
        const at = call ?? enclosing(draft.path)
        return at === null ? [] : [envelopeOf(draft, at)]
      }
      if (call === undefined || !call.isOpen) return []
      if (draft.type !== 'tool_end' && draft.type !== 'llm_end' && draft.type !== 'error')
        return [envelopeOf(draft, call)]
      const out: Envelope[] = []
      endBelow(call, { status: 'cancelled' }, out)
      setOpen(call, false)
      out.push(envelopeOf(draft, call))
      return out
    },
    isOpen: (path) => lookup(path)?.isOpen ?? false,
    close(ending) {
      const out: Envelope[] = []
      for (const call of calls.values()) {
        if (!call.isOpen || call.parent?.isOpen) continue
        endBelow(call, ending, out)
        out.push(endOf(call, ending))
      }
      return out
    },
    open: () => [...calls.values()].filter((call) => call.isOpen).map((call) => call.id),
  }
}
