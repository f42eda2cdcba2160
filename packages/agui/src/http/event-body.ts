import { EventType } from '@ag-ui/core'
import type { Batch, Encode } from './encode.ts'
import { joinDeltas } from './join-deltas.ts'

export interface EventBodyOptions {
  readonly encode: Encode
  readonly heartbeat: Uint8Array | null
  readonly heartbeatMs: number
  /** Called when the reader goes away. */
  readonly stop: () => void
}

const CHUNK_EVENTS = 512

/**
 * Batches as bytes, at the reader's pace. Whatever is there in one turn of the event loop goes out as one chunk with
 * neighbouring pieces joined: a reader that keeps up gets each token at once, one that does not gets fewer, larger ones.
 */
export function eventBody(
  batches: AsyncIterable<Batch>,
  options: EventBodyOptions,
): ReadableStream<Uint8Array> {
  const { encode, heartbeat, heartbeatMs, stop } = options
  const iterator = batches[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<Batch>> | null = null

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    next ??= iterator.next()
    const first = heartbeat === null ? await next : await firstOf(next, heartbeatMs)
    if (first === null) return controller.enqueue(heartbeat ?? new Uint8Array())
    next = null
    if (first.done) return controller.close()
    const events = [...first.value.events]
    let { position } = first.value
    const turn = turnOfLoop()
    while (events.length < CHUNK_EVENTS) {
      next = iterator.next()
      const more = await Promise.race([next, turn])
      if (more === null) break
      if (more.done) break
      next = null
      events.push(...more.value.events)
      position = more.value.position
    }
    try {
      controller.enqueue(await encode({ events: joinDeltas(events), position }))
    } catch (error) {
      // The client cannot be told what it was, but that it was: half a stream that just stops looks like success.
      stop()
      const message = `An event could not be encoded: ${error instanceof Error ? error.message : String(error)}`
      const failure = { type: EventType.RUN_ERROR as const, code: 'ENCODING_ERROR', message }
      controller.enqueue(await encode({ events: [failure], position }))
      controller.close()
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      pull,
      async cancel() {
        stop()
        // A failure after the reader has gone concerns nobody.
        await next?.catch(() => undefined)
        await iterator.return?.()
      },
    },
    { highWaterMark: 1 },
  )
}

function turnOfLoop(): Promise<null> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(() => resolve(null))
    else setTimeout(() => resolve(null), 0)
  })
}

async function firstOf<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
