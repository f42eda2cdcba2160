import { type CallFamily, familyOf, isGraphKind } from '../call-family.ts'
import type { Envelope, SubgraphCheckpoint, ToolEnd, ToolStart } from '../envelope.ts'
import { firstSeq } from '../read/first-seq.ts'
import { createOpenInterrupts, type OpenInterrupts } from './open-interrupts.ts'
import { isCompletion } from '../message/is-completion.ts'
import type { Rule, Violation } from './violation.ts'

/** How much of a stream there is to check. */
export interface VerifyOptions {
  /** True for a stream that still goes on: calls may be open at its end. Default false. */
  readonly live?: boolean
}

/** Checks a stream as it comes. */
export interface Verifier {
  push(envelope: Envelope): readonly Violation[]
  /** What is wrong with the stream as a whole, now that nothing more comes. */
  end(): readonly Violation[]
}

/** Everything that breaks a rule of PROTOCOL.md, in order. Empty when the stream keeps them all. */
export function verify(envelopes: Iterable<Envelope>, options?: VerifyOptions): readonly Violation[] {
  const verifier = createVerifier(options)
  const violations: Violation[] = []
  for (const envelope of envelopes) violations.push(...verifier.push(envelope))
  return violations.concat(verifier.end())
}

interface Call {
  readonly first: Envelope
  readonly position: number
  readonly name: string
  readonly is: CallFamily
  readonly parent: Call | null
  readonly openChildren: Set<Call>
  kind: ToolStart['payload']['kind'] | null
  seq: number
  attempt: number
  isOpen: boolean
  /** Of its trace. */
  readonly interrupts: OpenInterrupts<Call>
}

type Start = Extract<Envelope, { type: 'tool_start' | 'llm_start' }>

/** The incremental form of `verify`. */
export function createVerifier(options: VerifyOptions = {}): Verifier {
  const calls = new Map<string, Call>()
  const roots = new Map<string, string>()
  const byTrace = new Map<string, OpenInterrupts<Call>>()
  let position = 0
  let found: Violation[] = []

  function report(rule: Rule, envelope: Envelope, message: string): void {
    found.push({ position, rule, message, envelope })
  }

  function start(envelope: Start): Call {
    const known = calls.get(envelope.call_id)
    const call = known ?? open(envelope)
    const { attempt = 1 } = envelope.payload
    if (attempt !== call.attempt + 1)
      report(
        'attempt',
        envelope,
        `Start ${call.attempt + 1} of ${nameOf(call)} says it is attempt ${attempt}.`,
      )
    call.attempt = attempt
    if (call.parent !== null && !call.parent.isOpen)
      report(
        'parent',
        envelope,
        `${nameOf(call)} starts after its enclosing ${nameOf(call.parent)} has ended.`,
      )
    if (envelope.type === 'tool_start') checkKind(envelope, call)
    call.isOpen = true
    call.parent?.openChildren.add(call)
    call.interrupts.goOn(call)
    return call
  }

  function open(envelope: Start): Call {
    const is = envelope.type === 'llm_start' ? 'llm' : 'tool'
    const name = envelope.type === 'llm_start' ? envelope.payload.model : envelope.payload.tool_name
    const parent = envelope.parent_id === null ? null : calls.get(envelope.parent_id)
    if (parent === undefined)
      report('parent', envelope, `"${name}" starts inside call ${envelope.parent_id}, which has not started.`)
    if (parent === null) checkRoot(envelope, name)
    const call: Call = {
      first: envelope,
      position,
      name,
      is,
      parent: parent ?? null,
      openChildren: new Set(),
      kind: null,
      seq: 0,
      attempt: 0,
      isOpen: false,
      interrupts: interruptsOf(envelope.trace_id),
    }
    calls.set(envelope.call_id, call)
    return call
  }

  function interruptsOf(trace: string): OpenInterrupts<Call> {
    const open = byTrace.get(trace) ?? createOpenInterrupts<Call>()
    byTrace.set(trace, open)
    return open
  }

  function checkRoot(envelope: Envelope, name: string): void {
    const root = roots.get(envelope.trace_id)
    if (root === undefined) roots.set(envelope.trace_id, envelope.call_id)
    else
      report(
        'root',
        envelope,
        `"${name}" has no parent, but trace ${envelope.trace_id} has the root ${root}.`,
      )
    if (envelope.type === 'llm_start')
      report('root', envelope, `The root of a trace is a graph, not a call of the model "${name}".`)
  }

  function checkKind(envelope: ToolStart, call: Call): void {
    const { kind, args, input } = envelope.payload
    call.kind = kind
    if ((kind === 'graph') !== (envelope.parent_id === null))
      report(
        'root',
        envelope,
        `${nameOf(call)} is of kind "${kind}"; the root, and only the root, is a graph.`,
      )
    if (kind !== 'node' && args === undefined && input === undefined)
      report('payload', envelope, `The start of ${nameOf(call)} has neither "args" nor "input".`)
  }

  function checkStanding(envelope: Envelope, call: Call): void {
    const { call_id, parent_id, trace_id, seq } = envelope
    if (parent_id !== call.first.parent_id)
      report('parent', envelope, `${nameOf(call)} moved from ${call.first.parent_id} into ${parent_id}.`)
    if (trace_id !== call.first.trace_id)
      report('parent', envelope, `Call ${call_id} moved from trace ${call.first.trace_id} to ${trace_id}.`)
    else if (call.parent !== null && trace_id !== call.parent.first.trace_id)
      report('parent', envelope, `${nameOf(call)} is of another trace than its enclosing call.`)
    const from = firstSeq(envelope)
    if (from !== call.seq + 1 || seq < from)
      report('seq', envelope, `${nameOf(call)} goes from seq ${call.seq} to ${rangeOf(from, seq)}.`)
    call.seq = seq
  }

  function checkSaid(envelope: Envelope, call: Call): void {
    const said = familyOf(envelope.type)
    if (said !== null && said !== call.is)
      report('mixed', envelope, `${nameOf(call)} is a ${call.is} call and cannot say "${envelope.type}".`)
    if (!call.isOpen && envelope.type !== 'warning')
      report('not-open', envelope, `${nameOf(call)} says "${envelope.type}" after its end.`)
  }

  function finish(envelope: Envelope, call: Call): void {
    for (const child of call.openChildren)
      report('open-children', envelope, `${nameOf(call)} ends while ${nameOf(child)} inside it is open.`)
    if (envelope.type === 'tool_end') checkEnd(envelope, call)
    call.isOpen = false
    call.interrupts.settle(call)
    call.parent?.openChildren.delete(call)
  }

  function checkEnd(envelope: ToolEnd, call: Call): void {
    if (envelope.payload.status !== 'ok') return
    for (const id of call.interrupts.waits(call))
      report(
        'interrupt',
        envelope,
        `${nameOf(call)} ends as ok while its interrupt ${id} waits for an answer.`,
      )
    if (isGraphKind(call.kind) && !isCompletion(envelope.payload.result))
      report(
        'payload',
        envelope,
        `The result of the ${call.kind} ${nameOf(call)} is not {messages, files, usage}.`,
      )
  }

  function pause(envelope: SubgraphCheckpoint, call: Call): void {
    for (const { id } of envelope.payload.interrupts ?? []) {
      const asker = call.interrupts.raise(id, call)
      if (asker !== null)
        report('interrupt', envelope, `Interrupt ${id} is raised again while ${nameOf(asker)} waits on it.`)
    }
  }

  function check(envelope: Envelope): void {
    const known = calls.get(envelope.call_id)
    if (envelope.type === 'tool_start' || envelope.type === 'llm_start') {
      const call = start(envelope)
      checkStanding(envelope, call)
      checkSaid(envelope, call)
      return
    }
    if (known === undefined) {
      report('not-open', envelope, `Call ${envelope.call_id} says "${envelope.type}" before it starts.`)
      return
    }
    checkStanding(envelope, known)
    checkSaid(envelope, known)
    if (envelope.type === 'subgraph_checkpoint') pause(envelope, known)
    else if (envelope.type === 'subgraph_resume') known.interrupts.goOn(known)
    else if (isTerminal(envelope)) finish(envelope, known)
  }

  function drain(): readonly Violation[] {
    const violations = found
    found = []
    return violations
  }

  return {
    push(envelope) {
      position += 1
      check(envelope)
      return drain()
    },
    end() {
      if (options.live === true) return []
      const waiting = new Set([...byTrace.values()].flatMap((open) => [...open.waiting()]))
      for (const call of calls.values()) {
        if (!call.isOpen || waiting.has(call)) continue
        const message = `${nameOf(call)} never ends, and no interrupt inside it waits for an answer.`
        found.push({ position: call.position, rule: 'no-end', message, envelope: call.first })
      }
      return drain()
    },
  }
}

const nameOf = (call: Call): string => `"${call.name}" (${call.first.call_id})`

const rangeOf = (from: number, seq: number): string => (from === seq ? `${seq}` : `${from}..${seq}`)

const isTerminal = ({ type }: Envelope): boolean =>
  type === 'tool_end' || type === 'llm_end' || type === 'error'
