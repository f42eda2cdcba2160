import { setMaxListeners } from 'node:events'
import { type BaseCheckpointSaver, RunControl } from '@langchain/langgraph'
import { ClewlineError, coerce, isRecord, type Json } from '@clewline/core'
import type { Draft, RunContext, RunOutcome, RunRequest } from '@clewline/core/source'
import { checkCheckpoint } from './check-checkpoint.ts'
import type { FromGraphOptions } from './from-graph.ts'
import type { Graph, GraphState } from './graph.ts'
import { markCheckpoints, savedBy } from './mark-checkpoints.ts'
import { resume } from './observe/begin-call.ts'
import { checkpointCalls } from './observe/checkpoint-calls.ts'
import { completionOf } from './observe/completion-of.ts'
import { errorOf, failure } from './observe/failure.ts'
import { observedRun } from './observe/observed-run.ts'
import { pause } from './observe/pause.ts'
import { RunObserver } from './observe/run-observer.ts'
import { sayCached } from './observe/say-cached.ts'
import { writerFor } from './observe/writer-for.ts'
import { openInterrupts } from './open-interrupts.ts'
import { FRONTEND_TOOLS } from './frontend-key.ts'
import { resumeInput } from './resume-input.ts'

export interface RunnableGraph {
  readonly graph: Graph
  readonly name: string
  readonly options: FromGraphOptions
  readonly saver: BaseCheckpointSaver
}

/** One run of a graph, observed from its start to its end, its pause or its drain. */
export async function runGraph(
  { graph, name, options, saver }: RunnableGraph,
  request: RunRequest,
  context: RunContext,
): Promise<RunOutcome> {
  const subagents = new Set(options.subagentTools ?? ['task'])
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  // Every model and tool that runs at once listens to it.
  setMaxListeners(0, signal)
  let lost: unknown = null

  /** A run that cannot be recorded must not go on. */
  const emit = (draft: Draft): void | Promise<void> => {
    try {
      return context.emit(draft)?.catch(lose)
    } catch (error) {
      lose(error)
    }
  }

  function lose(error: unknown): void {
    lost ??= error
    stop.abort(error)
  }

  const run = observedRun({
    name,
    agent: name,
    kind: request.kind,
    signal,
    isSubagent: (tool) => subagents.has(tool),
    frontend: new Set(request.tools?.map((tool) => tool.name)),
    emit,
    isOpen: (path) => context.isOpen(path),
  })
  const observer = new RunObserver(run)
  const checkpoints = checkpointCalls(run)
  const observed = markCheckpoints(saver, context.run_id, checkpoints.saved)
  const at = { thread_id: context.thread_id, __pregel_checkpointer: observed }
  const stateNow = (): Promise<GraphState> => graph.getState({ configurable: at })

  await checkCheckpoint(saver, context.thread_id, request.config?.checkpoint_id)
  const before = request.kind === 'input' ? null : await stateNow()
  if (request.kind === 'recover' && (await savedBy(saver, context.thread_id)) !== context.run_id)
    throw new ClewlineError('conflict', 'The run died before anything of it was saved.', {
      hint: 'Start it again with its input.',
    })
  const open = request.kind === 'resume' ? await openInterrupts(saver, context.thread_id) : []
  const input = inputOf(
    request,
    open.map(({ id }) => id),
    before?.next ?? [],
  )
  run.picture.know(before?.values, run.rootScope)
  await begin()

  const control = new RunControl()
  const drain = (): void => control.requestDrain('shutdown')
  context.drain.addEventListener('abort', drain, { once: true })
  if (context.drain.aborted) drain()
  const outcome = await invoke()
  context.drain.removeEventListener('abort', drain)
  if (lost !== null) throw lost
  return outcome

  async function invoke(): Promise<RunOutcome> {
    try {
      const stream = await graph.stream(input, config())
      for await (const chunk of stream) await sayCached(run, chunk, checkpoints.callAt)
      return observer.paused === null ? await succeed() : await wait()
    } catch (error) {
      return fail(error)
    }
  }

  async function begin(): Promise<void> {
    if (before !== null && run.wasOpen([])) {
      const id = before.config.configurable?.['checkpoint_id']
      await emit(resume({ ...run.root, node: before.next.join(',') }, typeof id === 'string' ? id : ''))
      return
    }
    const said: Json = request.kind === 'input' ? coerce(request.input) : null
    const payload = { tool_name: name, kind: 'graph', input: said } as const
    await emit({ type: 'tool_start', path: [], agent: name, payload })
  }

  function config(): object {
    const own = options.config ?? {}
    const { recursion_limit, checkpoint_id, configurable, tags } = request.config ?? {}
    const writer = writerFor(run)
    const hasContext = configurable !== undefined && Object.keys(configurable).length > 0
    return {
      ...own,
      ...(recursion_limit !== undefined && { recursionLimit: recursion_limit }),
      ...(tags !== undefined && { tags: [...(own.tags ?? []), ...tags] }),
      ...(hasContext && {
        context: { ...(isRecord(own['context']) ? own['context'] : {}), ...configurable },
      }),
      callbacks: withObserver(own.callbacks),
      configurable: {
        ...own.configurable,
        ...configurable,
        ...at,
        // Where LangGraph's getWriter() looks inside a tool that calls a graph without passing its config on.
        writer,
        ...(request.tools !== undefined && { [FRONTEND_TOOLS]: request.tools }),
        ...(checkpoint_id !== undefined && { checkpoint_id }),
      },
      writer,
      control,
      signal,
      streamMode: ['updates'],
      subgraphs: true,
    }
  }

  function withObserver(callbacks: unknown): unknown {
    if (callbacks === undefined) return [observer]
    if (Array.isArray(callbacks)) return [...callbacks, observer]
    if (isRecord(callbacks) && typeof callbacks['copy'] === 'function') {
      const copy: unknown = callbacks['copy']()
      if (isRecord(copy) && typeof copy['addHandler'] === 'function') copy['addHandler'](observer, true)
      return copy
    }
    return callbacks
  }

  async function succeed(): Promise<RunOutcome> {
    const result = completionOf(run.output, run.root.usage, options.shape)
    await emit({
      type: 'tool_end',
      path: [],
      agent: name,
      payload: { tool_name: name, result, status: 'ok' },
    })
    return { status: 'success' }
  }

  async function wait(): Promise<RunOutcome> {
    if (observer.paused === null) return { status: 'success' }
    const { next } = await stateNow()
    return { status: 'interrupted', interrupts: await pause(run, observer.paused, next) }
  }

  async function fail(error: unknown): Promise<RunOutcome> {
    if (isRecord(error) && error['name'] === 'GraphDrained') return { status: 'drained' }
    if (context.signal.aborted) {
      const payload = { tool_name: name, result: null, status: 'cancelled' } as const
      await emit({ type: 'tool_end', path: [], agent: name, payload })
      return { status: 'cancelled' }
    }
    await emit({ type: 'error', path: [], agent: name, payload: failure(name, error, run.isFirst(error)) })
    const { name: kind, message } = errorOf(error)
    return { status: 'error', error: { name: kind, message } }
  }
}

function inputOf(request: RunRequest, open: readonly string[], next: readonly string[]): unknown {
  switch (request.kind) {
    case 'input':
      return request.input
    case 'resume':
      return resumeInput(request.answers, open, next)
    case 'recover':
      return null
  }
}
