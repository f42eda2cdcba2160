import type { RunRequest, Source } from '@clewline/core/source'
import type { Run } from '../store/store.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** Notes where the run begins, on its first attempt; later attempts know it. */
export async function beginRun(runtime: RuntimeContext, run: Run, source: Source | undefined): Promise<Run> {
  if (run.position !== null) return run
  const position = await runtime.log.last(run.thread_id)
  const state = await source?.state?.({ thread_id: run.thread_id, checkpointer: runtime.store.checkpointer })
  const base_checkpoint = state?.checkpoint_id ?? null
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
  if (run.attempt > 1) {
    const state = await source.state?.({ thread_id: run.thread_id, checkpointer: runtime.store.checkpointer })
    if (state !== undefined && state.checkpoint_id !== run.base_checkpoint) {
      const { checkpoint_id: _older, ...newest } = config
      return { ...common, config: newest, kind: 'recover' }
    }
  }
  return request.kind === 'input'
    ? { ...common, kind: 'input', input: request.input }
    : { ...common, kind: 'resume', answers: request.answers }
}
