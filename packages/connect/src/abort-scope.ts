/** A signal for requests to a LangGraph server. */
export interface AbortScope {
  readonly signal: AbortSignal
  /** Aborts the signal, and removes the listener from the outer one. Idempotent. */
  readonly end: () => void
}

/**
 * A scope inside `outer`, which ends it too. The SDK retries an aborted request for up to half a minute unless the
 * error's message begins with "AbortError" (langgraph-sdk 1.12.0); the reason of this signal does, so requests end at once.
 */
export function abortScope(outer?: AbortSignal): AbortScope {
  const stop = new AbortController()
  const end = (): void => {
    outer?.removeEventListener('abort', end)
    stop.abort(new DOMException('AbortError: the caller no longer waits for the answer.', 'AbortError'))
  }
  outer?.addEventListener('abort', end)
  if (outer?.aborted === true) end()
  return { signal: stop.signal, end }
}
