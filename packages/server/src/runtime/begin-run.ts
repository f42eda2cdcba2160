import type { Answer, RunRequest, Source, ThreadContext } from '@clewline/core/source'
import type { Run } from '../store/store.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** Notes where the run begins, on its first attempt; later attempts know it. */
export async function beginRun(runtime: RuntimeContext, run: Run, source: Source | undefined): Promise<Run> {
  if (run.position !== null) return run
  const position = await runtime.log.last(run.thread_id)
  const base_checkpoint = source === undefined ? null : await baseCheckpoint(runtime, run, source)
  await runtime.store.runs.begin({ run_id: run.run_id, attempt: run.attempt }, position, base_checkpoint)
  return { ...run, position, base_checkpoint }
}

/** The run as it was asked for; or to go on, when an earlier attempt has got as far as a checkpoint. */
export async function requestFor(runtime: RuntimeContext, run: Run, source: Source): Promise<RunRequest> {
  const { request } = run
  const { config: wanted, tools, user } = request
  const { deadline_seconds: _ours, ...config } = wanted ?? {}
  const common = {
    config,
    ...(tools === undefined ? {} : { tools }),
    ...(user === undefined ? {} : { user }),
  }
  if (run.attempt > 1 && (await hasSaved(runtime, run, source))) {
    const { checkpoint_id: _older, ...newest } = config
    return { ...common, config: newest, kind: 'recover' }
  }
  return request.kind === 'input'
    ? { ...common, kind: 'input', input: request.input }
    : { ...common, kind: 'resume', answers: await unused(runtime, run, source, request.answers) }
}

/**
 * Answers in a store from before they were bound to their questions: after the first attempt nothing says whether they were
 * consumed. Bound to no question they are used for none, and the run pauses with what is open.
 */
async function unused(
  runtime: RuntimeContext,
  run: Run,
  source: Source,
  answers: readonly Answer[],
): Promise<readonly Answer[]> {
  if (run.attempt === 1 || answers.every(({ question_id }) => question_id !== undefined)) return answers
  const state = await source.state?.(contextOf(runtime, run))
  const isBinding = state?.interrupts.some(({ question_id }) => question_id !== undefined) ?? false
  return isBinding ? answers.map((answer) => ({ question_id: NO_QUESTION, ...answer })) : answers
}

const NO_QUESTION = ''

/** The newest checkpoint before the run, for a source that cannot say later which run has saved one. */
async function baseCheckpoint(runtime: RuntimeContext, run: Run, source: Source): Promise<string | null> {
  if (source.hasSaved !== undefined) return null
  return (await source.state?.(contextOf(runtime, run)))?.checkpoint_id ?? null
}

/** Whether an earlier attempt has got as far as a checkpoint: the one answer to whether a run is recovered or begins again. */
async function hasSaved(runtime: RuntimeContext, run: Run, source: Source): Promise<boolean> {
  const context = contextOf(runtime, run)
  const saved = await source.hasSaved?.(run, context)
  if (saved !== undefined) return saved
  // An answer is given to a state that is there: without its checkpoint nothing says that the state is a newer one.
  if (run.request.kind === 'resume' && run.base_checkpoint === null) return false
  const state = await source.state?.(context)
  return state !== undefined && state.checkpoint_id !== run.base_checkpoint
}

const contextOf = ({ store }: RuntimeContext, { thread_id }: Run): ThreadContext => ({
  thread_id,
  checkpointer: store.checkpointer,
})
