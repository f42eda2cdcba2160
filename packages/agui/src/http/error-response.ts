import { ClewlineError, HTTP_STATUS } from '@clewline/core'

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
  return Response.json({ error: { code, message, hint } }, { status: HTTP_STATUS[code] })
}
