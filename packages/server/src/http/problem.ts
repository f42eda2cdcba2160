import { ClewlineError, HTTP_STATUS } from '@clewline/core'
import { publicError } from '@clewline/core/http'
import { z } from 'zod'

export const problemSchema = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      hint: z.string(),
      stack: z.string().optional(),
    }),
  })
  .meta({ id: 'Problem' })

/** Any error as a response. What was not meant for a caller stays here, unless `debug`. */
export function problem(error: unknown, isDebug: boolean): Response {
  const { code, message, hint, retryAfterSeconds } =
    error instanceof ClewlineError ? error : unforeseen(error)
  const stack = isDebug ? stackOf(error) : undefined
  const headers = {
    ...(code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
  }
  const body = { error: { code, message, hint, ...(stack === undefined ? {} : { stack }) } }
  return Response.json(body, { status: HTTP_STATUS[code], headers })
}

/** The store's own errors are for operators; a client is to try again. */
export function storeUnavailable(cause: unknown): ClewlineError {
  if (UNWRITABLE.test(storeCode(cause))) return unwritable(cause)
  return new ClewlineError('unavailable', 'The store is unavailable for the moment.', {
    hint: 'Try again in some seconds; GET /ready says when the server is back.',
    cause,
  })
}

/** By SQLite's code, or Postgres' SQLSTATE for a full disk and an I/O error. */
const UNWRITABLE = /^(SQLITE_(FULL|IOERR|READONLY|CANTOPEN)|53100$|58030$)/

const storeCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

function unwritable(cause: unknown): ClewlineError {
  // Postgres names the file that it could not extend, which is for its operator.
  const why = cause instanceof Error && storeCode(cause) !== '53100' ? cause.message : 'its disk is full'
  return new ClewlineError('unavailable', `The store cannot be written: ${why}.`, {
    hint: 'Make room on its disk or mend its permissions, and try again: runs go on by themselves then.',
    cause,
  })
}

function unforeseen(cause: unknown): ClewlineError {
  const code = storeCode(cause)
  if (UNWRITABLE.test(code)) return unwritable(cause)
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return new ClewlineError('unavailable', `The store is damaged: ${why}.`, {
      hint: 'Stop the server and restore a backup of its directory; sqlite3 clewline.db ".recover" may save the rest.',
      cause,
    })
  }
  return publicError(cause)
}

/** A path that is there, for other methods. */
export function wrongMethod(method: string, path: string, known: readonly string[]): Response {
  const error = new ClewlineError('unsupported', `${path} does not know ${method}.`, {
    hint: `It knows ${known.join(' and ')}.`,
  })
  const { body, headers } = problem(error, false)
  return new Response(body, {
    status: 405,
    headers: { ...Object.fromEntries(headers), allow: known.join(', ') },
  })
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** The first thing that is wrong with a request, in a sentence. */
export function badRequest(where: string, error: z.ZodError): ClewlineError {
  const [issue] = error.issues
  const at = issue?.path.join('.') ?? ''
  return new ClewlineError(
    'bad-request',
    `${where}${at === '' ? '' : ` ${at}`}: ${issue?.message ?? 'is not valid'}.`,
    {
      hint: 'GET /openapi.json describes every request.',
    },
  )
}
