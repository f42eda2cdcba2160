import { HTTP_STATUS } from '@clewline/core'
import { publicError } from '@clewline/core/http'

/** `{error: {code, message, hint}}` with the status of its code. */
export function errorResponse(error: unknown): Response {
  const { code, message, hint } = publicError(error)
  return Response.json({ error: { code, message, hint } }, { status: HTTP_STATUS[code] })
}
