/** The server said no, or could not be reached (`status` 0). `hint` says what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly hint: string

  constructor(status: number, code: string, message: string, hint = '') {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
  }
}

/** Whatever was thrown, as a sentence and what to do about it. */
export function explain(error: unknown): { message: string; hint: string } {
  if (error instanceof ApiError) return { message: error.message, hint: error.hint }
  if (error instanceof Error) return { message: error.message, hint: '' }
  return { message: String(error), hint: '' }
}
