import { ClewlineError } from '@clewline/core'
import type { ClewlineErrorCode } from '@clewline/core'

const STATUSES: Readonly<Record<ClewlineErrorCode, number>> = {
  'bad-request': 400,
  'bad-config': 500,
  'bad-file': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'unknown-agent': 404,
  unsupported: 406,
  conflict: 409,
  busy: 409,
  'too-large': 413,
  internal: 500,
  unavailable: 503,
}

/** `{error: {code, message, hint}}` with its status. What is not ours says nothing about our insides. */
export function errorResponse(error: unknown): Response {
  const { code, message, hint } =
    error instanceof ClewlineError
      ? error
      : {
          code: 'internal' as const,
          message: 'Something failed on our side.',
          hint: 'Try again; the server knows more.',
        }
  return Response.json({ error: { code, message, hint } }, { status: STATUSES[code] })
}
