/** Closed: every way in which a request can fail. */
export type ClewlineErrorCode =
  | 'bad-request'
  | 'bad-config'
  | 'bad-file'
  | 'not-found'
  | 'unknown-agent'
  | 'conflict'
  | 'busy'
  | 'unauthorized'
  | 'forbidden'
  | 'too-large'
  | 'rate-limited'
  | 'not-acceptable'
  | 'unsupported'
  | 'unavailable'
  | 'internal'

/** What each code is over HTTP. The only such table: every HTTP API of ours answers alike. */
export const HTTP_STATUS: Readonly<Record<ClewlineErrorCode, number>> = {
  'bad-request': 400,
  'bad-config': 500,
  'bad-file': 400,
  'not-found': 404,
  'unknown-agent': 404,
  conflict: 409,
  busy: 409,
  unauthorized: 401,
  forbidden: 403,
  'too-large': 413,
  'rate-limited': 429,
  'not-acceptable': 406,
  unsupported: 422,
  unavailable: 503,
  internal: 500,
}

/** A caller's mistake, with a sentence that says what to do. A run's own failure is an envelope instead. */
export class ClewlineError extends Error {
  readonly code: ClewlineErrorCode
  readonly hint: string
  /** When to try again, if it is known. */
  readonly retryAfterSeconds?: number

  constructor(
    code: ClewlineErrorCode,
    message: string,
    options: { hint: string; cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ClewlineError'
    this.code = code
    this.hint = options.hint
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
  }
}
