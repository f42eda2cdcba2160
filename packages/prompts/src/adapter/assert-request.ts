import { ClewlineError, isRecord } from '@clewline/core'
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
