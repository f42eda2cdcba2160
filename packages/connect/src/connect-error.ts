/** Why a connect cannot be done. It reaches the client as a RUN_ERROR: the code, and a message that ends with what to do. */
export class ConnectError extends Error {
  readonly code: ConnectErrorCode

  constructor(code: ConnectErrorCode, message: string, hint: string) {
    super(`${message} ${hint}`)
    this.name = 'ConnectError'
    this.code = code
  }
}

/** Why a thread cannot be connected to: the `code` of its `RUN_ERROR`. */
export type ConnectErrorCode = 'missing_thread_id' | 'invalid_thread_id' | 'connect_failed'

export function connectErrorOf(
  error: unknown,
  url: string,
): { readonly code: string; readonly message: string } {
  if (error instanceof ConnectError) return { code: error.code, message: error.message }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'connect_failed' satisfies ConnectErrorCode,
    message: `Connecting to the thread failed: ${message} Check that the LangGraph server at ${url} is up, then connect again.`,
  }
}

/** Whether the server said that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 404
}
