/** A bounded FIFO queue between producers and one consumer, who iterates it. */
export interface Queue<T> extends AsyncIterable<T> {
  /**
   * Backpressure: nothing while there is room, otherwise a promise that resolves when half of the room is free again,
   * or the queue closes. The value is queued in either case. Does nothing once the queue is closed.
   */
  push(value: T): void | Promise<void>
  /** Ends the iteration after what is queued. Idempotent. */
  readonly close: () => void
  /** Closes it; the iteration throws `error` after what is queued. */
  readonly fail: (error: unknown) => void
  readonly isClosed: boolean
  /** One iterator for all: leaving its loop closes the queue and drops what is queued. */
  [Symbol.asyncIterator](): AsyncIterableIterator<T, void>
}

/** What closes a queue from outside, and what closing it entails. */
export interface QueueOptions {
  /** Aborting it is `close()`: not an error, and what is queued is still delivered. */
  readonly signal?: AbortSignal | undefined
  /** Called once, when the queue closes: by its producer, its signal, or a consumer that leaves. */
  readonly onClose?: () => void
}

type Taken<T> = IteratorResult<T, void>

/** A queue with room for `limit` values; `Infinity` never pushes back. */
export function createQueue<T>(limit: number, options: QueueOptions = {}): Queue<T> {
  const { signal, onClose } = options
  let values: T[] = []
  /** Index of the first value that is not taken. Taking it by `shift` would move those behind it: quadratic. */
  let head = 0
  const takers: ((taken: Taken<T> | Promise<Taken<T>>) => void)[] = []
  let isClosed = false
  let failure: { readonly error: unknown } | null = null
  let room: { readonly promise: Promise<void>; readonly open: () => void } | null = null

  function openRoom(): void {
    room?.open()
    room = null
  }

  function take(): T {
    const value = values[head++]!
    // Amortised: as many are moved as were taken, so each value is moved once at most, and a taken one is let go of.
    if (head * 2 >= values.length) {
      values = values.slice(head)
      head = 0
    }
    return value
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    signal?.removeEventListener('abort', close)
    for (const answer of takers.splice(0)) answer(ended())
    openRoom()
    onClose?.()
  }

  /** The error is thrown once; an iterator that is asked again is done. */
  function ended(): Promise<Taken<T>> {
    const thrown = failure
    failure = null
    return thrown === null ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(thrown.error)
  }

  const iterator: AsyncIterableIterator<T, void> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      if (head === values.length) return isClosed ? ended() : new Promise((resolve) => takers.push(resolve))
      const value = take()
      if (room !== null && values.length - head <= limit / 2) openRoom()
      return Promise.resolve({ value, done: false })
    },
    return() {
      values = []
      head = 0
      failure = null
      close()
      return ended()
    },
  }

  signal?.addEventListener('abort', close, { once: true })
  if (signal?.aborted) close()
  return {
    push(value) {
      if (isClosed) return
      const answer = takers.shift()
      if (answer !== undefined) return answer({ value, done: false })
      values.push(value)
      if (values.length - head < limit) return
      room ??= newRoom()
      return room.promise
    },
    close,
    fail(error) {
      if (isClosed) return
      failure = { error }
      close()
    },
    get isClosed() {
      return isClosed
    },
    [Symbol.asyncIterator]: () => iterator,
  }
}

function newRoom(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const promise = new Promise<void>((resolve) => (open = resolve))
  return { promise, open }
}
