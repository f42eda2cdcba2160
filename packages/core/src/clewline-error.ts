/** Closed: every way in which Clewline tells a caller that something cannot be done as asked. */
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
  | 'unsupported'
  | 'unavailable'
  | 'internal'

/** A caller's mistake, with a sentence that says what to do. A run's own failure is an envelope instead. */
export class ClewlineError extends Error {
  readonly code: ClewlineErrorCode
  readonly hint: string

  constructor(code: ClewlineErrorCode, message: string, options: { hint: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ClewlineError'
    this.code = code
    this.hint = options.hint
  }
}
