import { addUsage } from '../message/add-usage.ts'
import type { Envelope, FilesDelta, Usage } from '../envelope.ts'
import type { Entry } from '../event-log.ts'
import { beginCall, emptyCall } from './begin-call.ts'
import { changeFiles, filesIn } from './change-files.ts'
import { createCowLists } from './cow-list.ts'
import { createCowMap, type Mutable } from './cow-map.ts'
import { appendToken } from './append-token.ts'
import { EMPTY_VIEW, type Call, type File, type Run, type View } from './view.ts'

/** Envelopes in, views out. `snapshot` may be taken at any time and stays as it was. */
export interface Fold {
  apply(entry: Entry): void
  snapshot(): View
  /** A call as it stands until the next `apply`. Costs nothing, where a snapshot costs a little for every call there is. */
  call(id: string): Call | undefined
}

/** Folds entries into a view, from the beginning or from a view taken earlier. */
export function createFold(from: View = EMPTY_VIEW): Fold {
  const calls = createCowMap<Call>(from.calls)
  const runs = createCowMap<Run>(from.runs)
  const files = createCowMap<File>(from.files)
  const usageByAgent = createCowMap<Usage>(from.usageByAgent)
  const lists = createCowLists()
  const rest: Mutable<View> = { ...from }
  let last: View | null = from

  function apply(entry: Entry): void {
    const { envelope } = entry
    last = null
    rest.count += 1
    rest.position = Math.max(rest.position, entry.position)
    const known = calls.get(envelope.call_id)
    // Idempotent: what a call has said already changes nothing when it comes again.
    if (known !== undefined && envelope.seq <= known.seq) return
    const call = callFor(envelope)
    call.seq = envelope.seq
    call.last = rest.count - 1
    call.run_id = envelope.run_id
    seeRun(envelope)
    take(envelope, call)
  }

  function callFor(envelope: Envelope): Mutable<Call> {
    const known = calls.edit(envelope.call_id)
    if (known !== undefined) return known
    const parent = envelope.parent_id === null ? undefined : calls.edit(envelope.parent_id)
    const call = emptyCall(envelope, parent?.id ?? null, rest.count - 1)
    calls.set(call.id, call)
    if (parent !== undefined) parent.children = lists.append(parent.children, call.id)
    else rest.roots = lists.append(rest.roots, call.id)
    return call
  }

  function seeRun(envelope: Envelope): void {
    if (runs.get(envelope.run_id) !== undefined) return
    const { run_id, trace_id, agent, ts } = envelope
    const root = rootOf(envelope.call_id)
    runs.set(run_id, {
      run_id,
      trace_id,
      root,
      agent,
      status: 'running',
      started_at: ts,
      ended_at: null,
      usage: {},
    })
  }

  function rootOf(id: string): string {
    let root = id
    for (let at: string | null = id; at !== null; at = calls.get(at)?.parent_id ?? null) root = at
    return root
  }

  function take(envelope: Envelope, call: Mutable<Call>): void {
    switch (envelope.type) {
      case 'tool_start': {
        const { payload } = envelope
        beginCall(envelope, call)
        call.kind = payload.kind
        call.name = payload.tool_name
        call.input = payload.args ?? payload.input ?? null
        call.node = payload.node
        call.tool_call_id = payload.meta?.tool_call_id
        if (payload.kind === 'graph') change(envelope, filesIn(payload.input))
        break
      }
      case 'llm_start':
        beginCall(envelope, call)
        call.kind = 'llm'
        call.name = envelope.payload.model
        call.input = envelope.payload.params
        call.node = envelope.payload.node
        break
      case 'llm_token':
        appendToken(envelope, call)
        break
      case 'llm_end': {
        const { usage, finish_reason, message } = envelope.payload
        const wasCancelled = finish_reason === 'cancelled'
        end(envelope, call, wasCancelled ? 'cancelled' : 'ok')
        call.finish_reason = finish_reason
        call.message_id = message.id
        // A cancelled call ends without its text; what was streamed of it stays.
        if (!wasCancelled || message.text !== '') call.text = message.text
        if (message.reasoning !== undefined) call.reasoning = message.reasoning
        call.content = message.content
        if (!wasCancelled)
          call.tool_calls = message.tool_calls.map(({ id, name, args }, index) => ({
            id,
            name,
            index,
            args: JSON.stringify(args),
          }))
        spend(envelope, call, usage)
        break
      }
      case 'tool_update': {
        const { text, progress, delta, data } = envelope.payload
        if (text !== undefined) call.text += text
        if (progress !== undefined) call.progress = progress
        if (data !== undefined) call.data = data
        if (delta?.todos !== undefined) rest.todos = delta.todos
        if (delta?.state !== undefined) rest.state = { ...rest.state, ...delta.state }
        if (delta?.files !== undefined) change(envelope, delta.files)
        break
      }
      case 'tool_end':
        end(envelope, call, envelope.payload.status)
        call.result = envelope.payload.result
        if (call.kind === 'graph') change(envelope, filesIn(envelope.payload.result))
        break
      case 'error':
        end(envelope, call, 'error')
        call.error = envelope.payload
        break
      case 'subgraph_checkpoint': {
        const { checkpoint_id, interrupts = [] } = envelope.payload
        call.checkpoint_id = checkpoint_id
        if (interrupts.length === 0) break
        const { call_id, run_id, agent, ts } = envelope
        const others = rest.interrupts.filter(
          (pending) => !interrupts.some((raised) => raised.id === pending.id),
        )
        rest.interrupts = [
          ...others,
          ...interrupts.map((raised) => ({ ...raised, call_id, run_id, agent, ts })),
        ]
        setWaiting(call_id, true)
        const run = runs.edit(run_id)
        if (run !== undefined) Object.assign(run, { status: 'interrupted', ended_at: ts })
        break
      }
      case 'subgraph_resume':
        call.checkpoint_id = envelope.payload.checkpoint_id
        // What stays unanswered is raised again by the run that goes on.
        rest.interrupts = rest.interrupts.filter((pending) => !isWithin(pending.call_id, call.id))
        setWaiting(call.id, false)
        break
      case 'warning': {
        const { code, message, ...facts } = envelope.payload
        const { call_id, agent, ts } = envelope
        rest.warnings = lists.append(rest.warnings, { code, message, call_id, agent, ts, facts })
        break
      }
    }
  }

  function end(envelope: Envelope, call: Mutable<Call>, status: Call['status']): void {
    call.status = status
    call.ended_at = envelope.ts
    if (rest.interrupts.length > 0)
      rest.interrupts = rest.interrupts.filter((pending) => pending.call_id !== call.id)
    if (envelope.parent_id !== null) return
    const run = runs.edit(envelope.run_id)
    if (run === undefined) return
    run.status = status === 'error' ? 'error' : status === 'cancelled' ? 'cancelled' : 'success'
    run.ended_at = envelope.ts
  }

  /** A pause is seen at the call that asked and at every call around it. */
  function setWaiting(id: string, isWaiting: boolean): void {
    const from = isWaiting ? 'running' : 'waiting'
    for (let at: string | null = id; at !== null; at = calls.get(at)?.parent_id ?? null) {
      if (calls.get(at)?.status !== from) continue
      const call = calls.edit(at)
      if (call !== undefined) call.status = isWaiting ? 'waiting' : 'running'
    }
  }

  function isWithin(id: string, ancestor: string): boolean {
    for (let at: string | null = id; at !== null; at = calls.get(at)?.parent_id ?? null) {
      if (at === ancestor) return true
    }
    return false
  }

  function spend(envelope: Envelope, call: Mutable<Call>, usage: Usage): void {
    call.usage = addUsage(call.usage, usage)
    call.total = addUsage(call.total, usage)
    for (let at = call.parent_id; at !== null; at = calls.get(at)?.parent_id ?? null) {
      const above = calls.edit(at)
      if (above !== undefined) above.total = addUsage(above.total, usage)
    }
    rest.usage = addUsage(rest.usage, usage)
    usageByAgent.set(envelope.agent, addUsage(usageByAgent.get(envelope.agent) ?? {}, usage))
    const run = runs.edit(envelope.run_id)
    if (run !== undefined) run.usage = addUsage(run.usage, usage)
  }

  function change(envelope: Envelope, delta: FilesDelta): void {
    changeFiles(files, lists, envelope, rest.count - 1, delta)
  }

  return {
    apply,
    call: (id) => calls.get(id),
    snapshot() {
      lists.snapshot()
      last ??= {
        ...rest,
        calls: calls.snapshot(),
        runs: runs.snapshot(),
        files: files.snapshot(),
        usageByAgent: usageByAgent.snapshot(),
      }
      return last
    },
  }
}
