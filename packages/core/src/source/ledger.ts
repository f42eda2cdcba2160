import { begin, createCallTable, finish, goOn, openBelow, pause, type Call } from './call-table.ts'
import { familyOf, isGraphKind } from '../call-family.ts'
import type { CallPath, Draft } from './draft.ts'
import { type Envelope, PROTOCOL } from '../envelope.ts'
import { isCompletion } from '../message/is-completion.ts'
import { normalise } from '../message/normalise.ts'
import { ClewlineError } from '../clewline-error.ts'

/**
 * Turns drafts into envelopes and keeps the rules that every stream obeys, so that no source has to: `seq` without a
 * gap, attempts counted, children ended before their parent, an interrupt raised once, nothing after the end.
 */
export interface Ledger {
  /**
   * The envelopes that a draft becomes: usually one; more when a call ends with calls still open below it; none when
   * the call is already over (a tool that outlived its cancel, say). Throws when the draft makes no sense at all: a
   * source that starts nothing at its root, or speaks of a model call as of a tool.
   */
  stamp(draft: Draft): readonly Envelope[]
  isOpen(path: CallPath): boolean
  /** Ends every open call, the deepest first. Empty when nothing is open. */
  close(ending: Ending): readonly Envelope[]
  /** `call_id`s of the calls that have started and not ended, in the order of their first start. */
  open(): readonly string[]
}

/** How to end calls that did not end by themselves. */
export type Ending =
  | { readonly status: 'cancelled' }
  | { readonly status: 'error'; readonly name: string; readonly message: string }

/** Which run the drafts are of, and what came before it. */
export interface LedgerOptions {
  readonly trace_id: string
  readonly run_id: string
  /** What the log already holds of this trace: `seq`, attempts and open calls go on from there. */
  readonly history?: Iterable<Envelope>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

type Start = Extract<Draft, { type: 'tool_start' | 'llm_start' }>
type Checkpoint = Extract<Draft, { type: 'subgraph_checkpoint' }>
type Terminal = Extract<Draft, { type: 'tool_end' | 'llm_end' | 'error' }>
/** What the ledger says, on its own or for a source. */
type Said = Pick<Draft, 'type' | 'payload' | 'agent' | 'origin' | 'ts'>

/** A ledger for one run. The runtime owns it; sources only see `emit`. */
export function createLedger(options: LedgerOptions): Ledger {
  const { trace_id, run_id } = options
  const now = options.now ?? Date.now
  const calls = createCallTable(trace_id)
  for (const envelope of options.history ?? []) calls.recall(envelope)

  /** The nearest known call around a path: a source may skip a level that had nothing to say. */
  function enclosing(path: CallPath): Call | null {
    for (let depth = path.length - 1; depth >= 0; depth--) {
      const call = calls.at(path.slice(0, depth))
      if (call !== undefined) return call
    }
    if (path.length === 0) return null
    throw new ClewlineError('internal', `A draft for "${path.join('/')}" came before its run's root call.`, {
      hint: 'A source must start its root call (path []) before anything else and end it last.',
    })
  }

  function stamped(call: Call, said: Said): Envelope {
    call.seq += 1
    // One literal with one key order: envelopes share a hidden class, and their JSON reads the same everywhere. The
    // compiler cannot follow that `type` and `payload` belong together; both come from one draft.
    return {
      type: said.type,
      ts: said.ts ?? now() / 1000,
      trace_id,
      run_id,
      call_id: call.id,
      parent_id: call.parent === null ? null : call.parent.id,
      seq: call.seq,
      origin: said.origin ?? 'live',
      agent: said.agent,
      payload: said.payload,
    } as Envelope
  }

  function start(draft: Start): readonly Envelope[] {
    const known = calls.at(draft.path)
    const parent = known === undefined ? enclosing(draft.path) : known.parent
    if (parent !== null && !parent.isOpen) return []
    checkKind(draft)
    const call = known ?? calls.create(draft.path, parent, draft.type === 'llm_start' ? 'llm' : 'tool')
    begin(call, draft)
    return [stamped(call, { ...draft, payload: startPayload(draft, call.attempt) })]
  }

  function checkpoint(draft: Checkpoint, call: Call): readonly Envelope[] {
    const { interrupts, ...saved } = draft.payload
    if (interrupts === undefined) return [stamped(call, draft)]
    const out: Envelope[] = []
    const fresh = interrupts.filter(({ id }) => {
      const asker = calls.asker(id)
      if (asker === undefined) return true
      // LangGraph raises an interrupt again at every level around it, and in the next run when its answer is still out.
      if (asker.wait?.run_id === run_id) return false
      out.push(...resumed(asker))
      return true
    })
    const payload = fresh.length === 0 ? saved : { ...saved, interrupts: fresh }
    pause(call, payload, run_id)
    out.push(stamped(call, { ...draft, payload }))
    return out
  }

  function resumed(call: Call): readonly Envelope[] {
    if (call.wait === null) return []
    const { checkpoint_id, node } = call.wait
    goOn(call)
    return [stamped(call, { type: 'subgraph_resume', agent: call.agent, payload: { checkpoint_id, node } })]
  }

  function end(draft: Terminal, call: Call): readonly Envelope[] {
    const out: Envelope[] = []
    endBelow(call, { status: 'cancelled' }, out)
    if (draft.type === 'tool_end' && draft.payload.status === 'ok') out.push(...resumed(call))
    finish(call)
    out.push(stamped(call, draft.type === 'tool_end' ? completed(draft, call) : draft))
    return out
  }

  function endBelow(call: Call, ending: Ending, out: Envelope[]): void {
    for (const inner of openBelow(call)) {
      finish(inner)
      out.push(stamped(inner, endingOf(inner, ending)))
    }
  }

  return {
    stamp(draft) {
      const call = calls.at(draft.path)
      if (call !== undefined) checkFamily(draft, call)
      if (draft.type === 'tool_start' || draft.type === 'llm_start') return start(draft)
      if (draft.type === 'warning') {
        const at = call ?? enclosing(draft.path)
        return at === null ? [] : [stamped(at, draft)]
      }
      if (call === undefined || !call.isOpen) return []
      switch (draft.type) {
        case 'llm_token':
          return [stamped(call, draft.payload.from_seq === undefined ? draft : withoutFromSeq(draft))]
        case 'tool_update':
          return [stamped(call, draft.payload.from_seq === undefined ? draft : withoutFromSeq(draft))]
        case 'subgraph_checkpoint':
          return checkpoint(draft, call)
        case 'subgraph_resume':
          goOn(call)
          return [stamped(call, draft)]
        case 'tool_end':
        case 'llm_end':
        case 'error':
          return end(draft, call)
      }
    },
    isOpen: (path) => calls.at(path)?.isOpen ?? false,
    close(ending) {
      const out: Envelope[] = []
      for (const call of calls.all()) {
        if (!call.isOpen || call.parent?.isOpen) continue
        endBelow(call, ending, out)
        finish(call)
        out.push(stamped(call, endingOf(call, ending)))
      }
      return out
    },
    open: () => [...calls.all()].filter((call) => call.isOpen).map((call) => call.id),
  }
}

function checkFamily(draft: Draft, call: Call): void {
  const sort = familyOf(draft.type)
  if (sort === null || sort === call.is) return
  throw new ClewlineError('internal', `"${draft.type}" came for the ${call.is} call "${call.name}".`, {
    hint: 'A path names one call for good: give the model call and the tool call paths of their own.',
  })
}

function checkKind(draft: Start): void {
  const isRoot = draft.path.length === 0
  const isGraph = draft.type === 'tool_start' && draft.payload.kind === 'graph'
  if (isRoot === isGraph) return
  throw new ClewlineError(
    'internal',
    `The call at "${draft.path.join('/')}" is not of a kind that can be there.`,
    {
      hint: 'The root (path []), and only the root, is a tool_start of kind "graph".',
    },
  )
}

/** The ledger counts attempts and knows the version: what the source says of them is ignored. */
function startPayload(draft: Start, attempt: number): Start['payload'] {
  const { attempt: _counted, ...said } = draft.payload
  const counted = attempt === 1 ? said : { ...said, attempt }
  if (!('kind' in counted)) return counted
  const isBare = counted.kind !== 'node' && counted.args === undefined && counted.input === undefined
  return {
    ...counted,
    ...(isBare && { input: null }),
    ...(counted.kind === 'graph' && { protocol: PROTOCOL }),
  }
}

/** A draft is one `seq`, always: only samplers join. */
function withoutFromSeq(draft: Extract<Draft, { type: 'llm_token' | 'tool_update' }>): Said {
  const { from_seq: _joined, ...payload } = draft.payload
  return { ...draft, payload }
}

/** A graph, sub-graph or sub-agent that ends well ends with a `Completion`, also when its source gave another value. */
function completed(draft: Extract<Draft, { type: 'tool_end' }>, call: Call): Said {
  const { status, result } = draft.payload
  if (status !== 'ok' || !isGraphKind(call.kind) || isCompletion(result)) return draft
  return { ...draft, payload: { ...draft.payload, result: normalise(result) } }
}

function endingOf(call: Call, ending: Ending): Said {
  const { name, agent } = call
  if (ending.status === 'error') {
    const payload = { name, message: ending.message, stack: '', class: ending.name }
    return { type: 'error', agent, payload }
  }
  if (call.is === 'llm') {
    const message = { id: call.id, text: '', tool_calls: [] }
    return { type: 'llm_end', agent, payload: { usage: {}, finish_reason: 'cancelled', message } }
  }
  return { type: 'tool_end', agent, payload: { tool_name: name, result: null, status: 'cancelled' } }
}
