import { ClewlineError } from '@clewline/core'
import type { Thread } from '../store/store.ts'
import { requireAgent } from './require-agent.ts'
import type { RuntimeContext } from './runtime-context.ts'
import type { CreateRun } from './runs.ts'

/**
 * Refuses answers that fit no question before anything is written: the thread goes on waiting. Resolves with the only
 * open question, which an answer without an id is for; null when there is none or several.
 */
export async function checkAnswers(
  runtime: RuntimeContext,
  thread: Thread,
  wanted: CreateRun,
): Promise<string | null> {
  const { thread_id } = thread
  const source = requireAgent(runtime, wanted.agent)
  if (thread.agent !== null && thread.agent !== wanted.agent) {
    throw new ClewlineError(
      'conflict',
      `It is "${thread.agent}" that waits for an answer, not "${wanted.agent}".`,
      {
        hint: `Send agent "${thread.agent}".`,
      },
    )
  }
  const state = await source.state?.({ thread_id, checkpointer: runtime.store.checkpointer })
  const open = state?.interrupts.map(({ id }) => id) ?? []
  // Without any, the graph stopped at a breakpoint: whatever is sent lets it go on.
  if (open.length === 0) return null
  for (const { interrupt_id } of wanted.resume ?? []) {
    if (interrupt_id === undefined && open.length === 1) continue
    if (interrupt_id !== undefined && open.includes(interrupt_id)) continue
    const what =
      interrupt_id === undefined ? 'An answer without interrupt_id' : `The interrupt "${interrupt_id}"`
    throw new ClewlineError('bad-request', `${what} fits none of the ${open.length} open questions.`, {
      hint: `Answer one or more of: ${open.join(', ')}.`,
    })
  }
  return open.length === 1 ? open[0]! : null
}
