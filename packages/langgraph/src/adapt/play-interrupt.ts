import { type Interrupt, isRecord } from '@clewline/core'
import { resumeDraft } from '../observe/begin-call.ts'
import { scopeFor } from '../observe/calls.ts'
import { cancelCall } from '../observe/end-call.ts'
import { errorOf, isBubbleUp } from '../observe/failure.ts'
import { pause } from '../observe/pause.ts'
import { newObservers, type PlayState } from './play-state.ts'

/** Notes interrupts that were raised inside the run `id`. Idempotent: streams repeat each at every level. */
export function raise(state: PlayState, id: string | undefined, interrupts: readonly unknown[]): PlayState {
  const { calls, facts } = state.observers.run
  const raised = new Map(state.raised)
  for (const [index, interrupt] of interrupts.entries()) {
    const { id: given, value } = isRecord(interrupt) ? interrupt : { id: undefined, value: interrupt }
    const key = typeof given === 'string' ? given : `interrupt-${index}`
    if (raised.has(key)) continue
    const made = { id: key, value }
    raised.set(key, made)
    facts.noteAsker([made], scopeFor(calls, id))
  }
  return { ...state, raised }
}

/** Pauses the run at what was raised in it. */
export async function pauseAtRaised(state: PlayState): Promise<readonly Interrupt[]> {
  const { observers, rootId: runId, checkpointId, raised } = state
  const interrupts = [...raised.values()]
  const event = { runId, status: 'pending', checkpointId, checkpointNs: [], interrupts } as const
  return pause(observers.run, event)
}

/** The thread continues after a pause: what follows is another run of the same calls. */
export async function resume(state: PlayState): Promise<PlayState> {
  const { options, observers, outbox, checkpointId } = state
  const { calls } = observers.run
  if (state.raised.size > 0) await pauseAtRaised(state)
  // Without an interrupt the stream was cut off: what is open begins again if it comes again.
  else
    for (const call of [...calls.open].reverse())
      if (call !== calls.root) await cancelCall(observers.run, call)
  const next = newObservers(options, 'resume', outbox)
  const { run } = next
  await run.emit(resumeDraft(run.calls.root, checkpointId))
  // The root is resumed by now; what is open inside it is not.
  run.facts.claimOpen([])
  return { ...state, observers: next, raised: new Map(), rootId: undefined, hasEnded: false }
}

/** The interrupts that a recorded error carries. */
export function raisedIn(error: unknown): readonly unknown[] {
  const interrupts = isRecord(error) ? error['interrupts'] : undefined
  return Array.isArray(interrupts) ? interrupts : []
}

/** A recorded error as it was thrown; serialised, an interrupt has lost its class. */
export function asThrown(error: unknown): unknown {
  if (typeof error === 'string') {
    const [message = '', ...stack] = error.split('\n')
    return { name: 'Error', message, stack: stack.join('\n').trim() }
  }
  if (isBubbleUp(error) || !isRecord(error)) return error
  const isInterrupt = Array.isArray(error['interrupts']) || error['name'] === 'GraphInterrupt'
  return isInterrupt ? { ...error, is_bubble_up: true, interrupts: [] } : { ...errorOf(error), ...error }
}
