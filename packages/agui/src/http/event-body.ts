export interface EventBodyOptions {
  /** Sent every `heartbeatMs`, so that proxies keep an idle connection; null for none. */
  readonly heartbeat: Uint8Array | null
  readonly heartbeatMs: number
  /** Called when the reader cancels. */
  readonly stop: () => void
}

/** Chunks as a response's body, with backpressure: the next one is asked for when the reader has taken the last. */
export function eventBody(
  chunks: AsyncIterable<Uint8Array>,
  { heartbeat, heartbeatMs, stop }: EventBodyOptions,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  let timer: ReturnType<typeof setInterval> | undefined
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (heartbeat === null) return
        timer = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
        }, heartbeatMs)
      },
      async pull(controller) {
        try {
          const { done, value } = await iterator.next()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        clearInterval(timer)
      },
      async cancel() {
        clearInterval(timer)
        stop()
        await iterator.return?.()
      },
    },
    { highWaterMark: 1 },
  )
}
