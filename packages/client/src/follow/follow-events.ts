import { ClewlineError, HTTP_STATUS } from '@clewline/core'
import { backoff } from '../sse/backoff.ts'
import { HEARTBEAT_MS } from '../sse/heartbeat-ms.ts'
import { readSse, type SseEvent } from '../sse/read-sse.ts'
import { within } from '../sse/within.ts'
import type { Transport } from '../transport.ts'
import { sleep } from './sleep.ts'

/** How a stream stands. A refusal is not a status: it is thrown. */
export type ConnectionStatus =
  | { readonly type: 'connecting' }
  | { readonly type: 'live' }
  /** Connection lost; the next try is at `retryAt` (milliseconds since the epoch). */
  | { readonly type: 'retrying'; readonly attempt: number; readonly retryAt: number; readonly why: string }

/** How to hold a connection. */
export interface ConnectionOptions {
  /** Ends the stream. Stopping is not an error. */
  readonly signal?: AbortSignal
  /** Told of each change of the connection. */
  readonly onStatus?: (status: ConnectionStatus) => void
  /** Consecutive failures before the error is thrown. Default: it never gives up. */
  readonly retries?: number
  /** A connection without a byte for so long counts as lost. Default: two heartbeats of the server, and 5 s. */
  readonly silenceMs?: number
}

export interface FollowEvents extends ConnectionOptions {
  /** Asked for at each connection, so that it can say where to resume. */
  readonly path: () => string
}

const SILENCE_MS = 2 * HEARTBEAT_MS + 5_000
/** The longest wait between two tries, whatever `Retry-After` says: a timer above 2^31 ms would fire at once. */
const MAX_WAIT_MS = 3_600_000

/**
 * An event stream over as many connections as it takes. A lost connection and an unavailable server are retried with
 * back-off; a refusal (no such thread, no access) is thrown, because asking again would not change it.
 */
export async function* followEvents(
  transport: Transport,
  options: FollowEvents,
): AsyncGenerator<readonly SseEvent[], void> {
  const { signal, onStatus, retries = Infinity } = options
  let attempt = 0
  onStatus?.({ type: 'connecting' })
  while (!signal?.aborted) {
    let lost = connectionClosed()
    let liveSince = Infinity
    const onLive = (): void => {
      liveSince = performance.now()
      onStatus?.({ type: 'live' })
    }
    try {
      for await (const events of readOnce(transport, options, onLive)) {
        attempt = 0
        yield events
      }
    } catch (error) {
      if (signal?.aborted) return
      if (!isTransient(error)) throw error
      lost = error
    }
    if (signal?.aborted) return
    // To be answered is not enough: a server whose store is unavailable opens a stream and ends it at once.
    if (performance.now() - liveSince > HEARTBEAT_MS) attempt = 0
    if (attempt >= retries) throw lost
    const wait = Math.min(MAX_WAIT_MS, Math.max(backoff(attempt++), (lost.retryAfterSeconds ?? 0) * 1000))
    onStatus?.({ type: 'retrying', attempt, retryAt: Date.now() + wait, why: lost.message })
    await sleep(wait, signal)
  }
}

async function* readOnce(
  transport: Transport,
  { path, signal, silenceMs = SILENCE_MS }: FollowEvents,
  onLive: () => void,
): AsyncGenerator<readonly SseEvent[], void> {
  const connection = new AbortController()
  const abort = (): void => connection.abort()
  signal?.addEventListener('abort', abort)
  try {
    const response = await within(
      transport.request(path(), {
        signal: connection.signal,
        headers: { accept: 'text/event-stream' },
        // Without it Chrome makes a second reader of the same URL wait for the first: only one may write to its cache.
        cache: 'no-store',
      }),
      silenceMs,
    )
    const type = response.headers.get('content-type') ?? 'no type'
    if (!/^text\/event-stream\b/i.test(type)) throw notAStream(type)
    if (response.body === null) return
    onLive()
    yield* readSse(response.body, { signal: connection.signal, silenceMs })
  } finally {
    signal?.removeEventListener('abort', abort)
    connection.abort()
  }
}

function connectionClosed(): ClewlineError {
  return new ClewlineError('unavailable', 'The connection closed.', {
    hint: 'Read on after the last position.',
  })
}

function notAStream(type: string): ClewlineError {
  return new ClewlineError('unsupported', `The server answered with ${type} instead of an event stream.`, {
    hint: 'Check that the URL is that of a Clewline server, with its base path.',
  })
}

/** Asking again may help. */
export const isTransient = (error: unknown): error is ClewlineError =>
  error instanceof ClewlineError && (error.code === 'rate-limited' || HTTP_STATUS[error.code] >= 500)
