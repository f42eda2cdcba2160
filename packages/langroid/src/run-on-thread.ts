import { coerce } from '@clewline/core'
import type { RunOutcome } from '@clewline/core/source'
import { failRun, finishRun } from './finish-run.ts'
import { followRun } from './follow-run.ts'
import { planRun } from './plan-run.ts'
import type { ThreadRun } from './thread-run.ts'
import { runWriter, type RunWriter } from './writer/run-writer.ts'

/** So many deaths of the backend's worker in a row, without getting anywhere in between, end the run. */
const MAX_DEATHS = 2

/**
 * One run of a thread: plan, follow, finish. Failures of the agent are its outcome, not exceptions. A backend whose
 * process died is asked again, and goes on where it was.
 */
export async function runOnThread(run: ThreadRun): Promise<RunOutcome> {
  let attempt = run
  let deaths = 0
  let reached = 0
  for (;;) {
    const writer = await beginRun(attempt)
    const plan = await planRun(attempt, writer)
    switch (plan.type) {
      case 'refuse':
        return await failRun(writer, plan.failure)
      case 'over':
        return await finishRun(writer, { ev: 'done', reason: 'stop', pending: [] })
      case 'ask': {
        const followed = await followRun(attempt, plan, writer)
        switch (followed.type) {
          case 'ended':
            return await finishRun(writer, followed.ending)
          case 'drained':
            return { status: 'drained' }
          case 'asked':
            return { status: 'interrupted', interrupts: [followed.question] }
          case 'died': {
            deaths = followed.reached > reached ? 1 : deaths + 1
            reached = followed.reached
            if (deaths > MAX_DEATHS) {
              await followed.giveUp()
              return await finishRun(writer, followed.ending)
            }
            const { config, tools, user } = run.request
            const common = { ...(config && { config }), ...(tools && { tools }), ...(user && { user }) }
            attempt = { ...run, request: { ...common, kind: 'recover' } }
          }
        }
      }
    }
  }
}

/** Opens the root call; a run that goes on resumes it, and goes on counting its model calls unless it replays them. */
async function beginRun({ name, request, context, slot, checkpoint_id }: ThreadRun): Promise<RunWriter> {
  const isRecovery = request.kind !== 'input'
  const { progress } = slot.record
  const goesOn = isRecovery && progress?.trace_id === context.trace_id && progress.replay === undefined
  const writer = runWriter(name, context, goesOn ? progress.turn : 0)
  const input = coerce(request.kind === 'input' ? request.input : {})
  await writer.begin(input, isRecovery && context.isOpen([]) ? (checkpoint_id ?? context.run_id) : null)
  return writer
}
