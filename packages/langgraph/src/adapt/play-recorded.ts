import { coerce, type Interrupt, isRecord } from '@clewline/core'
import { type Draft, type RunOutcome } from '@clewline/core/source'
import { messageOf } from '@clewline/core/message'
import { cancelCall, resume, warning } from '../observe/begin-call.ts'
import { completionOf } from '../observe/completion-of.ts'
import { digest } from '../observe/digest.ts'
import { errorOf, failure, isBubbleUp } from '../observe/failure.ts'
import { graphCalls } from '../observe/graph-calls.ts'
import { fieldsOf } from '../observe/model-end.ts'
import { modelCalls } from '../observe/model-calls.ts'
import { type ObservedRun, observedRun } from '../observe/observed-run.ts'
import { pause } from '../observe/pause.ts'
import { sayDelta, sayUpdate } from '../observe/say-update.ts'
import { toolCalls } from '../observe/tool-calls.ts'
import { type GatheredMessage, gatherMessage } from './gather-message.ts'
import type { Recorded } from './recorded.ts'

export interface PlayOptions {
  readonly label: string
  readonly isSubagent: (tool: string) => boolean
  /** What the run starts from, when it is known before the stream. */
  readonly input?: unknown
  /** `resume` when the stream goes on with calls that an earlier one left open. Default: `input`. */
  readonly kind?: 'input' | 'resume'
  emit(draft: Draft): void
  isOpen(path: readonly string[]): boolean
}

/** Plays what was recorded through the same observers as a live run, so that both become the same envelopes. */
export function playRecorded(options: PlayOptions) {
  let run = newRun(options.kind ?? 'input')
  let graphs = graphCalls(run)
  let tools = toolCalls(run, graphs.outputOf)
  let models = modelCalls(run)
  let isStarted = false
  let isEnded = false
  let root: string | undefined
  let failed: { error: unknown } | null = null
  let checkpointId = ''
  const raised = new Map<string, object>()
  const heard = new Map<string, GatheredMessage>()
  const known = new WeakSet<object>()
  const lacks = new Set<string>()
  /** Chains of which is not known yet whether they are graphs. */
  const held = new Map<string, Extract<Recorded, { type: 'chain_start' }>>()

  function newRun(kind: 'input' | 'resume'): ObservedRun {
    const { label, isSubagent } = options
    return observedRun({
      name: label,
      agent: label,
      kind,
      signal: new AbortController().signal,
      isSubagent,
      frontend: new Set(),
      emit: (draft) => options.emit(draft),
      isOpen: (path) => options.isOpen(path),
    })
  }

  function begin(input: unknown): void {
    if (isStarted) return
    isStarted = true
    const { label } = options
    if (run.wasOpen([])) return options.emit(resume(run.root, ''))
    const payload = { tool_name: label, kind: 'graph', input: coerce(options.input ?? input) } as const
    options.emit({ type: 'tool_start', path: [], agent: label, payload })
  }

  async function play(event: Recorded): Promise<void> {
    if (event.type !== 'chain_start') begin(null)
    switch (event.type) {
      case 'chain_start':
        return startChain(event)
      case 'chain_end':
        held.delete(event.id)
        if (event.id === root) isEnded = true
        return graphs.end(event.id, event.output)
      case 'chain_error':
        held.delete(event.id)
        if (event.id === root) failed = { error: event.error }
        return graphs.fail(event.id, event.error)
      case 'model_start': {
        const { id, parentId, name, metadata } = event
        heard.set(id, gatherMessage(id))
        return models.start({ id, parentId, name, metadata, prompt: {}, parameters: metadata })
      }
      case 'model_token':
        heard.get(event.id)?.add(event.message)
        return models.say(event.id, fieldsOf(event.message))
      case 'model_end':
        return models.end(event.id, answerOf(event), { usage: event.usage })
      case 'model_error':
        return models.fail(event.id, event.error)
      case 'tool_start': {
        const { id, parentId, name } = event
        const input = typeof event.input === 'string' ? event.input : JSON.stringify(event.input ?? {})
        const toolCallId = event.toolCallId ?? askedFor(parentId, name, input)
        return tools.start({ id, parentId, name, input, toolCallId })
      }
      case 'tool_event':
        return tools.update(event.id, event.data)
      case 'tool_end':
        return tools.end(event.id, event.output)
      case 'tool_error':
        // Interrupts come as errors of the tools around them: the first that has one is the one that asked.
        raise({ type: 'interrupt', id: event.id, interrupts: raisedIn(event.error) })
        return tools.fail(event.id, thrown(event.error))
      case 'interrupt':
        return raise(event)
      case 'resume':
        return goOn()
      case 'state':
        return save(event)
      case 'custom': {
        const scope = run.scopes.get(event.id) ?? run.rootScope
        return sayUpdate(run, scope, event.data)
      }
      case 'cached':
        options.emit({
          type: 'tool_update',
          path: (run.scopes.get(event.id) ?? run.rootScope).call.path,
          agent: options.label,
          origin: 'replay',
          payload: { tool_name: options.label, data: { cached: true, update: coerce(event.data) } },
        })
        return
      case 'lack':
        if (lacks.has(event.code)) return
        lacks.add(event.code)
        options.emit(warning([], options.label, { code: event.code, message: event.message }))
        return
      case 'failure':
        failed = { error: event.error }
    }
  }

  async function startChain(event: Extract<Recorded, { type: 'chain_start' }>): Promise<void> {
    begin(event.input)
    // A run has its id to itself: a second start is a line that was written twice.
    if (run.scopes.has(event.id)) return
    root ??= event.id
    const parent = event.parentId === undefined ? undefined : held.get(event.parentId)
    if (parent !== undefined) {
      held.delete(parent.id)
      await graphs.start({ ...parent, classPath: event.is === 'node' ? GRAPH : [] })
    }
    if (event.is === 'unknown' && event.id !== root) {
      held.set(event.id, event)
      // Whatever is not a graph shares the scope around it; a graph takes its place when its first node comes.
      const around = run.scopes.get(event.parentId ?? '')
      if (around !== undefined) run.scopes.set(event.id, around)
      return
    }
    await graphs.start({ ...event, classPath: event.is === 'node' ? [] : GRAPH })
  }

  /** The model's last answer knows the id that the stream leaves out. */
  function askedFor(parentId: string | undefined, name: string, input: string): string | undefined {
    const { call } = run.scopes.get(parentId ?? '') ?? run.rootScope
    const { toolCalls = [] } = call.graph ?? {}
    const used = new Set(call.graph?.toolTasks.keys())
    const fits = toolCalls.filter((asked) => asked.name === name && !used.has(asked.id))
    return (fits.find((asked) => JSON.stringify(asked.args) === input) ?? fits[0])?.id
  }

  /** A stream that does not give the answer whole has said it in pieces. */
  function answerOf({ id, message }: Extract<Recorded, { type: 'model_end' }>): unknown {
    const pieces = heard.get(id)?.whole() ?? {}
    heard.delete(id)
    return messageOf(message) === null ? { ...pieces, ...fieldsOf(message) } : message
  }

  function raise({ id, interrupts }: Extract<Recorded, { type: 'interrupt' }>): void {
    for (const [index, interrupt] of interrupts.entries()) {
      const value = isRecord(interrupt) ? interrupt : { value: interrupt }
      const key = typeof value['id'] === 'string' ? value['id'] : `interrupt-${index}`
      if (raised.has(key)) continue
      const object = { id: key, value: value['value'] }
      raised.set(key, object)
      run.asked.set(object, (id === undefined ? undefined : run.scopes.get(id)) ?? run.rootScope)
    }
  }

  async function wait(): Promise<readonly Interrupt[]> {
    const interrupts = [...raised.values()]
    raised.clear()
    const event = { runId: root, status: 'pending', checkpointId, checkpointNs: [], interrupts } as const
    return pause(run, event, [])
  }

  async function goOn(): Promise<void> {
    if (raised.size > 0) await wait()
    // Nobody asked: what is open was cut off, and begins again if it comes again.
    else for (const call of [...run.open].reverse()) if (call !== run.root) await cancelCall(run, call)
    run = newRun('resume')
    graphs = graphCalls(run)
    tools = toolCalls(run, graphs.outputOf)
    models = modelCalls(run)
    root = undefined
    isEnded = false
    options.emit(resume(run.root, checkpointId))
    // The root has been come to; what is open inside it is not.
    run.wasOpen([])
  }

  async function save(event: Extract<Recorded, { type: 'state' }>): Promise<void> {
    const { id, checkpointId: saved, node, values, step } = event
    const scope = run.scopes.get(id) ?? run.rootScope
    const { call } = scope
    if (isRecord(values)) {
      const isStart = event.isStart ?? !known.has(call)
      known.add(call)
      if (isStart) run.picture.know(values, scope)
      else
        await sayDelta(
          run,
          scope,
          run.picture.reconcile({ scope, step, values, changed: new Set(Object.keys(values)) }),
        )
      if (scope === run.rootScope) run.output = values
    }
    if (saved === undefined || call.graph === null || !call.isOpen) return
    const state_digest = digest(values)
    call.graph.saved = { checkpointId: saved, digest: state_digest }
    if (call === run.root) checkpointId = saved
    const payload = { checkpoint_id: saved, node, state_digest }
    options.emit({ type: 'subgraph_checkpoint', path: call.path, agent: call.agent, payload })
  }

  /** Says how the run ended. A stream that just stops is one of a run that was cut off, unless nothing was open in it. */
  async function end(isComplete: boolean): Promise<RunOutcome> {
    begin(null)
    const { label } = options
    if (raised.size > 0) return { status: 'interrupted', interrupts: await wait() }
    if (failed === null && !isEnded && !isComplete) failed = { error: CUT_OFF }
    if (failed !== null) {
      const payload = failure(label, failed.error, run.isFirst(failed.error))
      options.emit({ type: 'error', path: [], agent: label, payload })
      const { name, message } = errorOf(failed.error)
      return { status: 'error', error: { name, message } }
    }
    const result = completionOf(run.output, run.root.usage)
    options.emit({
      type: 'tool_end',
      path: [],
      agent: label,
      payload: { tool_name: label, result, status: 'ok' },
    })
    return { status: 'success' }
  }

  return { play, end, isBusy: (): boolean => run.open.size > 1 }
}

const GRAPH = ['langgraph', 'pregel']

const CUT_OFF = { name: 'StreamEnded', message: 'The stream ends before the run does.' }

function raisedIn(error: unknown): readonly unknown[] {
  const interrupts = isRecord(error) ? error['interrupts'] : undefined
  return Array.isArray(interrupts) ? interrupts : []
}

/** What was thrown; an interrupt that was written down has lost its class. */
function thrown(error: unknown): unknown {
  if (typeof error === 'string') {
    const [message = '', ...stack] = error.split('\n')
    return { name: 'Error', message, stack: stack.join('\n').trim() }
  }
  if (isBubbleUp(error) || !isRecord(error)) return error
  const isPause = Array.isArray(error['interrupts']) || error['name'] === 'GraphInterrupt'
  return isPause ? { ...error, is_bubble_up: true, interrupts: [] } : { ...errorOf(error), ...error }
}
