import type { Api } from './api.ts'
import { ApiError } from './api-error.ts'
import { backoff } from './backoff.ts'
import { createSseParser, type SseEvent } from './sse-parser.ts'

export type ConnectionStatus =
  | { readonly is: 'connecting' }
  | { readonly is: 'live' }
  /** Lost; the next try is at `retryAt` (milliseconds since the epoch). */
  | { readonly is: 'retrying'; readonly attempt: number; readonly retryAt: number; readonly why: string }
  /** Trying again would not help: no such thread, or no access. */
  | { readonly is: 'refused'; readonly status: number; readonly why: string; readonly hint: string }

export interface KeepReadingOptions {
  /** Asked for at each connection, so that a path can say where to go on. */
  readonly path: () => string
  /** Whole events, one call per chunk of the network. */
  readonly events: (batch: readonly SseEvent[]) => void
  readonly status: (status: ConnectionStatus) => void
  readonly signal: AbortSignal
}

// The server sends a comment every 15 s: twice that without a byte means that the line is dead.
const SILENCE_MS = 35_000

/** Reads an event stream until `signal` aborts, connecting again whenever the line breaks. */
export async function keepReading(api: Api, options: KeepReadingOptions): Promise<void> {
  const { signal } = options
  let attempt = 0
  options.status({ is: 'connecting' })
  while (!signal.aborted) {
    let why = 'The connection closed.'
    try {
      await readOnce(api, options, () => {
        attempt = 0
        options.status({ is: 'live' })
      })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        options.status({ is: 'refused', status: error.status, why: error.message, hint: error.hint })
        return
      }
      if (error instanceof Error) why = error.message
    }
    if (signal.aborted) return
    const wait = backoff(attempt++)
    options.status({ is: 'retrying', attempt, retryAt: Date.now() + wait, why })
    await pause(wait, signal)
  }
}

async function readOnce(api: Api, options: KeepReadingOptions, opened: () => void): Promise<void> {
  const silence = new AbortController()
  const signal = AbortSignal.any([options.signal, silence.signal])
  const init = { signal, headers: { accept: 'text/event-stream' }, cache: 'no-store' } as const
  const response = await api.request(options.path(), init)
  if (response.body === null) return
  opened()
  const parser = createSseParser()
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let watchdog = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(watchdog)
      watchdog = setTimeout(() => silence.abort(), SILENCE_MS)
      const batch = parser.push(decoder.decode(value, { stream: true }))
      if (batch.length > 0) options.events(batch)
    }
  } finally {
    clearTimeout(watchdog)
    reader.cancel().catch(() => undefined)
  }
}

/** Waits, or less when the browser says that it is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const page = typeof window === 'undefined' ? undefined : window
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      page?.removeEventListener('online', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    page?.addEventListener('online', done)
  })
}
