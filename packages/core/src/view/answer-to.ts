import type { Interrupt } from '../envelope.ts'
import type { Json } from '../json.ts'
import type { Answer } from '../source/source.ts'

/** A human's answer to the question that was shown, and to no other: a server refuses it once another one is open. */
export function answerTo({ id, question_id }: Interrupt, value: Json): Answer {
  return { interrupt_id: id, ...(question_id !== undefined && { question_id }), value }
}
