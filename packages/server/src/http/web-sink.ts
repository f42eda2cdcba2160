import type { Sink } from '../log/pump.ts'

const SHARE = 1024 * 1024

/** The same as a Node response, for hosts that only know `fetch`: Next, Deno, Bun, a worker. */
export function webSink(signal: AbortSignal): { sink: Sink; stream: ReadableStream<Uint8Array> } {
  const listeners: (() => void)[] = []
  let isClosed = false
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null
  let pulled = (): void => {}

  function close(): void {
    if (isClosed) return
    isClosed = true
    signal.removeEventListener('abort', onAbort)
    pulled()
    for (const listener of listeners) listener()
  }
  function onAbort(): void {
    if (!isClosed) controller?.close()
    close()
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
      },
      pull: () => pulled(),
      cancel: close,
    },
    { highWaterMark: SHARE, size: (chunk) => chunk.byteLength },
  )
  signal.addEventListener('abort', onAbort, { once: true })

  const hasRoom = (): boolean => (controller?.desiredSize ?? 0) > 0
  return {
    stream,
    sink: {
      write(bytes) {
        if (!isClosed && bytes.length > 0) controller?.enqueue(bytes)
        return hasRoom()
      },
      async room() {
        while (!isClosed && !hasRoom()) await new Promise<void>((resolve) => (pulled = resolve))
        return !isClosed
      },
      isClosed: () => isClosed,
      onClose: (listener) => void listeners.push(listener),
      end() {
        if (!isClosed) controller?.close()
        close()
      },
    },
  }
}
