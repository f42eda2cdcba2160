import { ClewlineError } from '@clewline/core'
import type { Thread } from '../store/store.ts'
import { agentOf, type Parts } from './parts.ts'
import type { RunWish } from './runs.ts'

/** Refuses answers that fit no question before anything is written: the thread goes on waiting. */
export async function checkAnswers(parts: Parts, thread: Thread, wish: RunWish): Promise<void> {
  const { thread_id } = thread
  const source = agentOf(parts, wish.agent)
  if (thread.agent !== null && thread.agent !== wish.agent) {
    throw new ClewlineError(
      'conflict',
      `It is "${thread.agent}" that waits for an answer, not "${wish.agent}".`,
      {
        hint: `Send agent "${thread.agent}".`,
      },
    )
  }
  const state = await source.state?.({ thread_id, checkpointer: parts.store.checkpointer })
  const open = state?.interrupts.map(({ id }) => id) ?? []
  // Without any, the graph stopped at a breakpoint: whatever is sent lets it go on.
  if (open.length === 0) return
  for (const { interrupt_id } of wish.resume ?? []) {
    if (interrupt_id === undefined && open.length === 1) continue
    if (interrupt_id !== undefined && open.includes(interrupt_id)) continue
    const what =
      interrupt_id === undefined ? 'An answer without interrupt_id' : `The interrupt "${interrupt_id}"`
    throw new ClewlineError('bad-request', `${what} fits none of the ${open.length} open questions.`, {
      hint: `Answer one or more of: ${open.join(', ')}.`,
    })
  }
}
