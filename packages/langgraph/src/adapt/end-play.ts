import type { Draft, RunOutcome } from '@clewline/core/source'
import { completeCall, failCall } from '../observe/end-call.ts'
import { errorOf } from '../observe/failure.ts'
import { pauseAtRaised } from './play-interrupt.ts'
import { begin } from './play-recorded.ts'
import type { PlayState } from './play-state.ts'

const CUT_OFF = { name: 'StreamEnded', message: 'The stream ends before the run does.' }

/** Ends a recorded run at the end of its stream. Where that is not `complete`, a run that has not ended was cut off. */
export async function endPlay(
  state: PlayState,
  { isComplete }: { readonly isComplete: boolean },
): Promise<readonly [RunOutcome, readonly Draft[]]> {
  const begun = await begin(state, null)
  const outcome = await end(begun, isComplete)
  return [outcome, begun.outbox.splice(0)]
}

async function end(state: PlayState, isComplete: boolean): Promise<RunOutcome> {
  const { run } = state.observers
  const { root } = run.calls
  if (state.raised.size > 0) return { status: 'interrupted', interrupts: await pauseAtRaised(state) }
  const failure = state.failure ?? (state.hasEnded || isComplete ? null : { error: CUT_OFF })
  if (failure === null) {
    await completeCall(run, root, run.facts.output)
    return { status: 'success' }
  }
  await failCall(run, root, failure.error)
  const { name, message } = errorOf(failure.error)
  return { status: 'error', error: { name, message } }
}

/** True while calls in nodes are open. Of the nodes themselves, streams do not always say that they ended. */
export function isBusy({ observers }: PlayState): boolean {
  const { open, root } = observers.run.calls
  return [...open].some((call) => call !== root && call.kind !== 'node')
}
