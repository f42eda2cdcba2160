import { Command } from '@langchain/langgraph'
import { SkeinError } from '@skein/core'
import type { Answer } from '@skein/core/source'
import type { GraphState } from './graph.ts'
import { BREAKPOINT } from './observe/pause.ts'

/**
 * Answers as what LangGraph goes on with. Always by interrupt id: a bare `resume` value cannot be null, false or
 * empty (langgraph 1.4.18 checks it for truth), and with several questions it would answer whichever comes first.
 */
export function resumeInput(answers: readonly Answer[], state: GraphState): Command | null {
  const open = state.tasks
    .flatMap((task) => task.interrupts)
    .flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (open.length === 0) {
    if (state.next.length > 0) return null
    throw new SkeinError('conflict', 'The thread does not wait for an answer.', {
      hint: 'Start a run with input instead of resume; GET the state of the thread to see what it waits for.',
    })
  }
  const resume: Record<string, unknown> = {}
  for (const { interrupt_id, value } of answers) resume[interrupt_id ?? only(open)] = value
  for (const id of Object.keys(resume))
    if (!open.includes(id) && !id.startsWith(BREAKPOINT))
      throw new SkeinError('bad-request', `The thread does not wait on an interrupt "${id}".`, {
        hint: `It waits on: ${open.join(', ')}.`,
      })
  if (answers.length === 0)
    throw new SkeinError('bad-request', 'A resume needs at least one answer.', {
      hint: `Answer one or more of: ${open.join(', ')}.`,
    })
  return new Command({ resume })
}

function only(open: readonly string[]): string {
  const [id, ...others] = open
  if (id !== undefined && others.length === 0) return id
  throw new SkeinError(
    'bad-request',
    `The thread waits on ${open.length} interrupts; the answer names none.`,
    {
      hint: `Give each answer an interrupt_id: ${open.join(', ')}.`,
    },
  )
}
