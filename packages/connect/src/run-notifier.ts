import { ProtocolSseTransportAdapter } from '@langchain/langgraph-sdk'
import type { Client } from '@langchain/langgraph-sdk'
import { sleep } from './sleep.ts'

/** Notified by the server, on the thread's own stream, that a run has begun or ended. */
export interface RunNotifier {
  /** Opens the thread's stream, unless it is open or the server has refused it. */
  listen(): void
  /** Resolves at the next notification since the last `wait`, or after `ms`. Rejects when the signal aborts. */
  wait(ms: number): Promise<void>
}

/**
 * Listens to `/threads/:id/stream/events`. langgraph-api 1.5.1 announces there only runs that were started by the
 * protocol's `run.start`, so its silence means nothing. A stream that breaks stays closed until the next `listen()`; the
 * signal closes it for good.
 */
export function createRunNotifier(client: Client, threadId: string, signal: AbortSignal): RunNotifier {
  let isRefused = false
  let isNotified = false
  let notify = (): void => undefined
  let closeStream: (() => void) | null = null

  // Protected, but there is no other way to the address and the credentials of a client (langgraph-sdk 1.12.0). Its own
  // `threads.stream()` cannot be closed before the server has answered.
  const onRequest = client.threads['onRequest']
  const transport = new ProtocolSseTransportAdapter({
    apiUrl: client.threads['apiUrl'],
    defaultHeaders: client.threads['defaultHeaders'],
    ...(onRequest !== undefined && { onRequest }),
    threadId,
    maxReconnectAttempts: 0,
    async fetch(input, init) {
      const response = await fetch(input, init)
      isRefused = response.status >= 400 && response.status < 500
      return response
    },
  })

  async function follow({ events, ready }: ReturnType<typeof transport.openEventStream>): Promise<void> {
    try {
      await ready
      for await (const message of events) {
        // Those of sub-graphs have a namespace.
        if (message.type !== 'event' || message.method !== 'lifecycle') continue
        if (message.params.namespace.length > 0) continue
        isNotified = true
        notify()
      }
    } catch {
      // Best effort: polling finds the next run too.
    } finally {
      closeStream = null
    }
  }

  signal.addEventListener('abort', () => closeStream?.(), { once: true })

  return {
    listen() {
      if (closeStream !== null || isRefused || signal.aborted) return
      const stream = transport.openEventStream({ channels: ['lifecycle'] })
      closeStream = () => stream.close()
      void follow(stream)
    },
    async wait(ms) {
      const wake = new AbortController()
      notify = () => wake.abort()
      signal.addEventListener('abort', notify)
      if (!isNotified && !signal.aborted) await sleep(ms, wake.signal).catch(() => undefined)
      signal.removeEventListener('abort', notify)
      isNotified = false
      signal.throwIfAborted()
    },
  }
}
