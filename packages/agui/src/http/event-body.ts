import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Batch, Encode } from './encode.ts'
import { joinDeltas } from './join-deltas.ts'

export interface EventBodyOptions {
  readonly encode: Encode
  readonly heartbeat: Uint8Array | null
  readonly heartbeatMs: number
  /** Called when the reader goes away. */
  readonly stop: () => void
}

/** Read ahead of the reader, and the most that goes into one chunk. */
const MOST_EVENTS = 512

/**
 * Batches as bytes, at the reader's pace. Whatever is there in one turn of the event loop goes out as one chunk with
 * pieces joined: a reader that keeps up gets each token at once, one that does not gets fewer, larger ones.
 */
export function eventBody(
  batches: AsyncIterable<Batch>,
  options: EventBodyOptions,
): ReadableStream<Uint8Array> {
  const { encode, heartbeat, heartbeatMs, stop } = options
  let waiting: Event[] = []
  let position = 0
  let end: { readonly error?: unknown } | null = null
  let isGone = false
  let filling: Promise<void> | null = null
  let onSomething = (): void => undefined
  let onRoom = (): void => undefined

  // Reads by itself: asking for each batch and racing it against the turn of the loop costs three times as much.
  async function fill(): Promise<void> {
    try {
      for await (const batch of batches) {
        if (isGone) break
        waiting.push(...batch.events)
        position = batch.position
        onSomething()
        if (waiting.length >= MOST_EVENTS) await new Promise<void>((resolve) => (onRoom = resolve))
      }
      end = {}
    } catch (error) {
      end = { error }
    }
    onSomething()
  }

  function leave(): void {
    isGone = true
    stop()
    onRoom()
    onSomething()
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (waiting.length === 0 && end === null) {
      const isThere = new Promise<true>((resolve) => (onSomething = () => resolve(true)))
      if (heartbeat === null) await isThere
      else if (!(await within(isThere, heartbeatMs))) return controller.enqueue(heartbeat)
    }
    if (waiting.length > 0 && end === null) await turnOfLoop()
    if (waiting.length > 0) {
      const events = waiting
      waiting = []
      try {
        controller.enqueue(await encode({ events: joinDeltas(events), position }))
      } catch (error) {
        // The client cannot be told what it was, but that it was: half a stream that just stops looks like success.
        leave()
        const message = `An event could not be encoded: ${error instanceof Error ? error.message : String(error)}`
        const failure = { type: EventType.RUN_ERROR as const, code: 'ENCODING_ERROR', message }
        controller.enqueue(await encode({ events: [failure], position }))
        controller.close()
      }
      return onRoom()
    }
    if (end !== null && 'error' in end) return controller.error(end.error)
    controller.close()
  }

  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        filling ??= fill()
        return pull(controller)
      },
      async cancel() {
        leave()
        await filling
      },
    },
    { highWaterMark: 1 },
  )
}

function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

async function within(promise: Promise<true>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
