import { Command } from '@langchain/langgraph'
import { ClewlineError } from '@clewline/core'
import type { Answer } from '@clewline/core/source'
import type { Question } from './open-interrupts.ts'

/** A question that is open; a server that holds the thread may not say which one it is. */
export type OpenQuestion = Pick<Question, 'id'> & Partial<Pick<Question, 'question_id'>>

/**
 * Answers as LangGraph's `Command`; null when there is nothing to send and the run just continues. Always by interrupt
 * id: a bare `resume` value cannot be null, false or empty (langgraph 1.4.18 checks it for truth), and with several
 * questions it would answer whichever comes first.
 *
 * Idempotent: an answer that is bound to its question is left out once another question is open in its place, as after
 * a crash that came when it was consumed. The task that asks next pauses the run again.
 */
export function resumeInput(
  answers: readonly Answer[],
  open: readonly OpenQuestion[],
  next: readonly string[],
): Command | null {
  const ids = open.map(({ id }) => id)
  const due = answers.filter((answer) => isDue(answer, open))
  if (answers.length > 0 && due.length === 0) return null
  if (open.length === 0) {
    // A breakpoint: nothing was asked, the run just continues.
    if (next.length > 0) return null
    throw new ClewlineError('conflict', 'The thread does not wait for an answer.', {
      hint: 'Start a run with input instead of resume; the state of the thread says what it waits for.',
    })
  }
  if (answers.length === 0)
    throw new ClewlineError('bad-request', 'A resume needs at least one answer.', {
      hint: `Answer one or more of: ${ids.join(', ')}.`,
    })
  const resume: Record<string, unknown> = {}
  for (const { interrupt_id, value } of due) resume[interrupt_id ?? only(ids)] = value
  for (const id of Object.keys(resume))
    if (!ids.includes(id))
      throw new ClewlineError('bad-request', `The thread does not wait on an interrupt "${id}".`, {
        hint: `It waits on: ${ids.join(', ')}.`,
      })
  return new Command({ resume })
}

/** Whether the question that was answered is the one that is open. Without a `question_id` it is taken to be. */
function isDue({ interrupt_id, question_id }: Answer, open: readonly OpenQuestion[]): boolean {
  if (question_id === undefined) return true
  return open.some(
    (one) => one.question_id === question_id && (interrupt_id === undefined || one.id === interrupt_id),
  )
}

function only(open: readonly string[]): string {
  const [id, ...others] = open
  if (id !== undefined && others.length === 0) return id
  throw new ClewlineError(
    'bad-request',
    `The thread waits on ${open.length} interrupts; the answer names none.`,
    { hint: `Give each answer an interrupt_id: ${open.join(', ')}.` },
  )
}
