import { ClewlineError, HTTP_STATUS, type ClewlineErrorCode } from '@clewline/core'
import * as z from 'zod/mini'
import { parseJson } from './parse-json.ts'

const refusalSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z._default(z.string(), '') }),
})

/** A response that is not `ok` as an error: the server's own code and hint, or what a proxy before it said. */
export async function refusal(response: Response): Promise<ClewlineError> {
  const text = await response.text().catch(() => '')
  const { data } = refusalSchema.safeParse(parseJson(text))
  if (data !== undefined) {
    const { code, message, hint } = data.error
    const known = isCode(code) ? code : codeOf(response.status)
    return new ClewlineError(known, message, { hint, ...retryAfter(response) })
  }
  const about = text.slice(0, 200).trim() || response.statusText
  return new ClewlineError(codeOf(response.status), `The server answered ${response.status}: ${about}`, {
    hint: 'This does not look like a Clewline server: check the URL, and the proxy before it.',
    ...retryAfter(response),
  })
}

/** In seconds; the header's other form, a date, is not used by this server. */
function retryAfter({ headers }: Response): { retryAfterSeconds?: number } {
  const header = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(header) ? { retryAfterSeconds: Number(header) } : {}
}

const isCode = (code: string): code is ClewlineErrorCode => Object.hasOwn(HTTP_STATUS, code)

/** For answers without a code that this version knows. A 404 of a stranger says nothing about a thread. */
function codeOf(status: number): ClewlineErrorCode {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  return status === 408 || status === 429 || status >= 500 ? 'unavailable' : 'unsupported'
}
