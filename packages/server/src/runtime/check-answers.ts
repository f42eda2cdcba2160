import { ClewlineError, type Interrupt } from '@clewline/core'
import type { Answer } from '@clewline/core/source'
import type { Thread } from '../store/store.ts'
import { requireAgent } from './require-agent.ts'
import type { RuntimeContext } from './runtime-context.ts'
import type { CreateRun } from './runs.ts'

/**
 * Refuses answers that fit no question before anything is written: the thread goes on waiting. Resolves with the answers,
 * each bound to the very question that is open now: an attempt that finds another one in its place does not use it.
 */
export async function checkAnswers(
  runtime: RuntimeContext,
  thread: Thread,
  { agent, resume: answers = [] }: CreateRun,
): Promise<readonly Answer[]> {
  const { thread_id } = thread
  const source = requireAgent(runtime, agent)
  if (thread.agent !== null && thread.agent !== agent) {
    throw new ClewlineError('conflict', `It is "${thread.agent}" that waits for an answer, not "${agent}".`, {
      hint: `Send agent "${thread.agent}".`,
    })
  }
  const state = await source.state?.({ thread_id, checkpointer: runtime.store.checkpointer })
  const open = state?.interrupts ?? []
  // Without any, the graph stopped at a breakpoint: whatever is sent lets it go on.
  return open.length === 0 ? answers : answers.map((answer) => bound(answer, open))
}

function bound(answer: Answer, open: readonly Interrupt[]): Answer {
  const { interrupt_id, question_id } = answer
  const ids = open.map(({ id }) => id)
  const question =
    interrupt_id === undefined && open.length === 1 ? open[0] : open.find(({ id }) => id === interrupt_id)
  if (question === undefined) {
    const what =
      interrupt_id === undefined ? 'An answer without interrupt_id' : `The interrupt "${interrupt_id}"`
    throw new ClewlineError('bad-request', `${what} fits none of the ${open.length} open questions.`, {
      hint: `Answer one or more of: ${ids.join(', ')}.`,
    })
  }
  if (question_id !== undefined && question_id !== question.question_id) {
    throw new ClewlineError('conflict', 'Another question is open than the one that was answered.', {
      hint: `GET …/state shows it, with its question_id "${question.question_id}".`,
    })
  }
  const asked = question.question_id === undefined ? {} : { question_id: question.question_id }
  return { ...answer, interrupt_id: question.id, ...asked }
}
