import { setMaxListeners } from 'node:events'
import { type BaseCheckpointSaver, RunControl } from '@langchain/langgraph'
import { ClewlineError, coerce, isRecord } from '@clewline/core'
import type { Draft, RunContext, RunOutcome, RunRequest } from '@clewline/core/source'
import { checkpointId } from './checkpoint-of.ts'
import type { FromGraphOptions } from './from-graph.ts'
import type { Graph, GraphState } from './graph.ts'
import { hasCheckpoint, hasSaved, markCheckpoints } from './mark-checkpoints.ts'
import { beginRun } from './observe/begin-call.ts'
import { checkpointCalls } from './observe/checkpoint-calls.ts'
import { writerFor } from './observe/emit-update.ts'
import { cancelCall, completeCall, failCall } from './observe/end-call.ts'
import { errorOf } from './observe/failure.ts'
import { observedRun } from './observe/observed-run.ts'
import { pause } from './observe/pause.ts'
import { RunObserver } from './observe/run-observer.ts'
import { openInterrupts } from './open-interrupts.ts'
import { resumeInput } from './resume-input.ts'
import { dependsOn, runConfig } from './run-config.ts'
import { subagentTools } from './subagent-tools.ts'

export interface RunnableGraph {
  readonly graph: Graph
  readonly name: string
  readonly options: FromGraphOptions
  readonly saver: BaseCheckpointSaver
}

/** One run of a graph, observed from its start to its end, its interrupt or its drain. */
export async function runGraph(
  { graph, name, options, saver }: RunnableGraph,
  request: RunRequest,
  context: RunContext,
): Promise<RunOutcome> {
  const { thread_id } = context
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  // Every model and tool that runs at once listens to it.
  setMaxListeners(0, signal)
  let lost: unknown = null

  const run = observedRun({
    name,
    kind: request.kind,
    isSubagent: subagentTools(options),
    frontend: new Set(request.tools?.map((tool) => tool.name)),
    signal,
    emit,
    isOpen: (path) => context.isOpen(path),
  })
  const { root, rootScope } = run.calls
  const observer = new RunObserver(run)
  const checkpoints = checkpointCalls(run)
  const observed = markCheckpoints(saver, context.run_id, checkpoints.save)
  const thread = { thread_id, __pregel_checkpointer: observed }
  const stateNow = (): Promise<GraphState> => graph.getState({ configurable: thread })

  await checkSaved()
  const before = request.kind === 'input' ? null : await stateNow()
  const next = before?.next ?? []
  const input = await inputOf()
  run.mirror.seed(before?.values, rootScope)
  const shown = request.kind === 'input' ? coerce(request.input) : null
  const from = { checkpointId: checkpointId(before?.config) ?? '', node: next.join(',') }
  await beginRun(run, shown, from, dependsOn(options, request, name))

  const control = new RunControl()
  const drain = (): void => control.requestDrain('shutdown')
  context.drain.addEventListener('abort', drain, { once: true })
  if (context.drain.aborted) drain()
  const outcome = await invoke()
  context.drain.removeEventListener('abort', drain)
  if (lost !== null) throw lost
  return outcome

  /** Fail-stop: a run whose envelopes cannot be logged must not continue. */
  function emit(draft: Draft): void | Promise<void> {
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

  /** LangGraph takes a missing checkpoint for an empty thread: the run would begin the conversation anew. */
  async function checkSaved(): Promise<void> {
    const { checkpoint_id } = request.config ?? {}
    if (checkpoint_id !== undefined && !(await hasCheckpoint(saver, thread_id, checkpoint_id)))
      throw new ClewlineError('not-found', `Thread "${thread_id}" has no checkpoint "${checkpoint_id}".`, {
        hint: 'The checkpoints of the thread list the ids that a run can start from.',
      })
    if (request.kind === 'recover' && (await hasSaved(saver, thread_id, context)) === false)
      throw new ClewlineError('conflict', 'The run died before anything of it was saved.', {
        hint: 'Start it again with its input.',
      })
  }

  async function inputOf(): Promise<unknown> {
    switch (request.kind) {
      case 'input':
        return request.input
      case 'resume':
        return resumeInput(request.answers, await openInterrupts(saver, thread_id), next)
      case 'recover':
        return null
    }
  }

  async function invoke(): Promise<RunOutcome> {
    try {
      const hooks = { observer, writer: writerFor(run), thread, control, signal }
      const stream = await graph.stream(input, runConfig(options.config ?? {}, request, hooks))
      for await (const chunk of stream) await checkpoints.reuse(chunk)
      if (observer.paused === null) return await succeed()
      const { next: waiting } = await stateNow()
      const questions = await openInterrupts(saver, thread_id)
      const interrupts = await pause(run, observer.paused, { next: waiting, questions })
      return { status: 'interrupted', interrupts }
    } catch (error) {
      return fail(error)
    }
  }

  async function succeed(): Promise<RunOutcome> {
    await completeCall(run, root, run.facts.output, { shape: options.shape })
    return { status: 'success' }
  }

  async function fail(error: unknown): Promise<RunOutcome> {
    if (isRecord(error) && error['name'] === 'GraphDrained') return { status: 'drained' }
    if (context.signal.aborted) {
      await cancelCall(run, root)
      return { status: 'cancelled' }
    }
    await failCall(run, root, error)
    const { name: kind, message } = errorOf(error)
    return { status: 'error', error: { name: kind, message } }
  }
}
