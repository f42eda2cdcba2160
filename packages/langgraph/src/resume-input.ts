import { Command } from '@langchain/langgraph'
import { ClewlineError } from '@clewline/core'
import type { Answer } from '@clewline/core/source'

/**
 * Answers as LangGraph's `Command`. Always by interrupt id: a bare `resume` value cannot be null, false or
 * empty (langgraph 1.4.18 checks it for truth), and with several questions it would answer whichever comes first.
 */
export function resumeInput(
  answers: readonly Answer[],
  open: readonly string[],
  next: readonly string[],
): Command | null {
  if (open.length === 0) {
    // A breakpoint: nothing was asked, the run just continues.
    if (next.length > 0) return null
    throw new ClewlineError('conflict', 'The thread does not wait for an answer.', {
      hint: 'Start a run with input instead of resume; the state of the thread says what it waits for.',
    })
  }
  if (answers.length === 0)
    throw new ClewlineError('bad-request', 'A resume needs at least one answer.', {
      hint: `Answer one or more of: ${open.join(', ')}.`,
    })
  const resume: Record<string, unknown> = {}
  for (const { interrupt_id, value } of answers) resume[interrupt_id ?? only(open)] = value
  for (const id of Object.keys(resume))
    if (!open.includes(id))
      throw new ClewlineError('bad-request', `The thread does not wait on an interrupt "${id}".`, {
        hint: `It waits on: ${open.join(', ')}.`,
      })
  return new Command({ resume })
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
