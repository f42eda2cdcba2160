import type { Run } from '../store/store.ts'
import type { Redaction } from './redaction.ts'

/** A run as it is shown. What the store holds of it is as it was asked for: a recovery starts from it. */
export function shownRun(redaction: Redaction | null, run: Run): Run {
  const { request, agent } = run
  if (redaction === null) return run
  if (request.kind === 'input') {
    return { ...run, request: { ...request, input: redaction.value(request.input, 'state', agent) } }
  }
  const answers = request.answers.map((answer) => ({
    ...answer,
    value: redaction.value(answer.value, 'answer', agent),
  }))
  return { ...run, request: { ...request, answers } }
}
