import { coerce } from '@clewline/core'
import type { RunOutcome } from '@clewline/core/source'
import { failRun, finishRun } from './finish-run.ts'
import { followRun } from './follow-run.ts'
import { planRun } from './plan-run.ts'
import type { ThreadRun } from './thread-run.ts'
import { runWriter, type RunWriter } from './writer/run-writer.ts'

/** One run of a thread: plan, follow, finish. Failures of the agent are its outcome, not exceptions. */
export async function runOnThread(run: ThreadRun): Promise<RunOutcome> {
  const writer = await beginRun(run)
  const plan = await planRun(run, writer)
  switch (plan.type) {
    case 'refuse':
      return await failRun(writer, plan.failure)
    case 'over':
      return await finishRun(writer, { ev: 'done', reason: 'stop', pending: [] })
    case 'ask': {
      const ending = await followRun(run, plan, writer)
      return ending === 'drained' ? { status: 'drained' } : await finishRun(writer, ending)
    }
  }
}

/** Opens the root call; a recovered run resumes it, and goes on counting its model calls. */
async function beginRun({ name, request, context, slot, checkpoint_id }: ThreadRun): Promise<RunWriter> {
  const isRecovery = request.kind === 'recover'
  const { progress } = slot.record
  const goesOn = isRecovery && progress?.trace_id === context.trace_id
  const writer = runWriter(name, context, goesOn ? progress.turn : 0)
  const input = coerce(request.kind === 'input' ? request.input : {})
  await writer.begin(input, isRecovery && context.isOpen([]) ? (checkpoint_id ?? context.run_id) : null)
  return writer
}
