import { ClewlineError } from '@clewline/core'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { within } from './within.ts'

/** One server-sent event. `event` and `id` are absent when the frame has none. */
export type SseEvent = Readonly<EventSourceMessage>

export interface ReadSseOptions {
  /** Ends the stream, and the connection under it. Not an error. */
  readonly signal?: AbortSignal
  /** Connection lost: no byte, not even a heartbeat, for so long. Default: never. */
  readonly silenceMs?: number
  /** The longest event that is buffered, in characters. Default 64 Mi, far above what the server lets into an envelope. */
  readonly maxLength?: number
}

/**
 * Server-sent events, an array per network chunk: a history arrives as megabytes at once, and a promise per event would
 * cost more than the parsing. Pull-based, so that a slow consumer exerts backpressure. Throws a `ClewlineError`:
 * `unavailable` when the connection is lost, `too-large` for an event above `maxLength`.
 */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  options: ReadSseOptions = {},
): AsyncGenerator<readonly SseEvent[], void> {
  const { signal, silenceMs = Infinity, maxLength = 2 ** 26 } = options
  const reader = body.getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  const decoder = new TextDecoder()
  let events: SseEvent[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: (event) => events.push(event),
    // Anything else that it reports is a field that the specification says to ignore.
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  })
  try {
    while (!signal?.aborted) {
      const { done, value } = await within(reader.read(), silenceMs).catch((cause: unknown) => {
        if (signal?.aborted) return { done: true, value: undefined } as const
        throw connectionLost(cause)
      })
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      if (isTooLarge) throw tooLarge(maxLength)
      if (events.length === 0) continue
      const batch = events
      events = []
      yield batch
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

function connectionLost(cause: unknown): ClewlineError {
  if (cause instanceof ClewlineError) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ClewlineError('unavailable', `The connection was lost: ${why}`, {
    hint: 'Read on after the last position.',
    cause,
  })
}

function tooLarge(maxLength: number): ClewlineError {
  return new ClewlineError('too-large', `An event is longer than ${maxLength} characters.`, {
    hint: 'Check that this is an event stream of a Clewline server.',
  })
}
