import { ClewlineError } from '@clewline/core'
import type { Interrupt } from '@clewline/core'
import type { Answer } from '@clewline/core/source'

/**
 * What AG-UI clients know a question by. They send it back as it is, so it holds both ids: a node that asks twice does so
 * under one interrupt id, and an answer to its first question must not become one to its second.
 */
export function aguiInterruptId({ id, question_id }: Pick<Interrupt, 'id' | 'question_id'>): string {
  return question_id === undefined ? id : `${id}/${question_id}`
}

/**
 * The question that an id of a client's is about. Throws `conflict` when it is no longer the one that is open. A bare
 * interrupt id is bound to what is open when the answer is accepted.
 */
export function answeredBy(
  interruptId: string,
  open: readonly Interrupt[],
): Pick<Answer, 'interrupt_id' | 'question_id'> {
  const asked = open.find((one) => aguiInterruptId(one) === interruptId)
  if (asked !== undefined) {
    const { id, question_id } = asked
    return { interrupt_id: id, ...(question_id !== undefined && { question_id }) }
  }
  const other = open.find(({ id }) => interruptId.startsWith(`${id}/`))
  if (other === undefined) return { interrupt_id: interruptId }
  throw new ClewlineError('conflict', 'Another question is open than the one that was answered.', {
    hint: `Show the question again and answer "${aguiInterruptId(other)}"; POST …/connect sends it.`,
  })
}
