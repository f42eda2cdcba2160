import { ClewlineError, isRecord } from '@clewline/core'
import { complaintAbout, type Shape } from '../shape.ts'
import type { ResumeToken } from '../result/prompt-response.ts'

/** Says what is wrong with the arguments of `evaluate`, `stream` and `resume`, which plain JavaScript does not check. */
export function assertRequest(prompt: unknown, options: unknown): void {
  if (!isRecord(prompt) || typeof prompt['render'] !== 'function') {
    const isTemplate = isRecord(prompt) && typeof prompt['bind'] === 'function'
    throw new ClewlineError(
      'bad-request',
      isTemplate
        ? `"${String(prompt['name'])}" is a template: its parameters are not bound yet.`
        : 'There is no prompt to evaluate.',
      { hint: 'Evaluate prompt.bind({ ... }), or prompt.bind() when it has no parameters.' },
    )
  }
  const session = isRecord(options) ? options['session'] : undefined
  if (!isRecord(session) || typeof session['begin'] !== 'function')
    throw new ClewlineError('bad-request', 'An evaluation needs a session.', {
      hint: 'Pass one: adapter.evaluate(prompt, { session: createSession() }).',
    })
  const complaint = complaintAbout('an evaluation', options, evaluationShape)
  if (complaint !== undefined) throw new ClewlineError('bad-request', complaint.message, complaint)
  for (const [name, part, hint] of parts) {
    const given = Reflect.get(Object(options), name)
    if (isRecord(given) && !(part in given))
      throw new ClewlineError('bad-request', `The option "${name}" of an evaluation is of another kind.`, {
        hint,
      })
  }
  const input = Reflect.get(Object(options), 'input')
  if (input !== undefined && typeof input !== 'string' && !Array.isArray(input))
    throw new ClewlineError('bad-request', 'The input of an evaluation must be text or a list of messages.', {
      hint: 'input: "What is 2 + 2?", or input: [{ role: "user", content: "…" }].',
    })
}

/** Options that are objects, and by what they are known. */
const parts = [
  ['deadline', 'remaining', 'Make it with Deadline.after(30_000) or Deadline.at(date).'],
  ['signal', 'addEventListener', 'Pass controller.signal of an AbortController.'],
  ['budgetTracker', 'countModelCall', 'Make it with createBudgetTracker({ maxTotalTokens: 10_000 }).'],
] as const

const evaluationShape: Shape = {
  session: 'object',
  input: 'any?',
  signal: 'object?',
  deadline: 'object?',
  budget: 'object?',
  budgetTracker: 'object?',
  visibility: 'object?',
  threadId: 'text?',
}

/** A token may have travelled as JSON; what is not one is refused before anything runs. */
export function assertToken(
  token: ResumeToken,
  prompt: { readonly name: string; readonly template: { readonly hash: string } },
): void {
  if (!isRecord(token) || !isRecord(token.prompt) || !Array.isArray(token.interrupts))
    throw new ClewlineError('bad-request', 'This is not a resume token.', {
      hint: 'Pass response.resumeToken of an interrupted response, or what JSON.parse made of it.',
    })
  if (token.version === 1 && token.prompt.hash === prompt.template.hash) return
  throw new ClewlineError(
    'conflict',
    `The token was made by another prompt than "${prompt.name}", or by another version of it.`,
    {
      hint: `It belongs to ${token.prompt.ns}.${token.prompt.key}: resume with the prompt as it was.`,
    },
  )
}
