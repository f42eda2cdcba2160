/** A signal for requests to a LangGraph server. */
export interface Requests {
  readonly signal: AbortSignal
  /** Ends them, and lets go of the signal that they were made under. */
  readonly end: () => void
}

/**
 * The SDK tries an aborted request again, for up to half a minute, unless the error's message begins as this one does
 * (langgraph-sdk 1.12.0). Requests under this signal end at once.
 */
export function requestsUntil(signal?: AbortSignal): Requests {
  const stop = new AbortController()
  const end = (): void => {
    signal?.removeEventListener('abort', end)
    stop.abort(new DOMException('AbortError: nobody waits for the answer any more.', 'AbortError'))
  }
  signal?.addEventListener('abort', end)
  if (signal?.aborted === true) end()
  return { signal: stop.signal, end }
}
