/** A bounded queue between one writer and one reader. */
export interface Channel<T> extends AsyncIterable<T> {
  /** Returns nothing while there is room, otherwise a promise that is the backpressure. */
  push(value: T): void | Promise<void>
  /** The reader ends after what is queued. Pushing afterwards does nothing. */
  end(): void
  /** True once the reader has gone away or the channel was ended. */
  readonly closed: boolean
  readonly size: number
}

export interface ChannelOptions {
  readonly limit?: number
  /** Called whenever the reader took something. */
  readonly onTake?: () => void
  /** Called once, when the reader stops before the end. */
  readonly onLeave?: () => void
}

export function createChannel<T>(options: ChannelOptions = {}): Channel<T> {
  const limit = options.limit ?? 256
  const queue: T[] = []
  let closed = false
  let wakeReader: (() => void) | undefined
  let room: { promise: Promise<void>; resolve: () => void } | undefined

  const wake = (): void => {
    wakeReader?.()
    wakeReader = undefined
  }
  const makeRoom = (): void => {
    room?.resolve()
    room = undefined
  }

  async function* read(): AsyncGenerator<T, void> {
    let finished = false
    try {
      for (;;) {
        if (queue.length === 0) {
          if (closed) break
          await new Promise<void>((resolve) => (wakeReader = resolve))
          continue
        }
        const value = queue.shift()!
        if (queue.length < limit) makeRoom()
        options.onTake?.()
        yield value
      }
      finished = true
    } finally {
      closed = true
      queue.length = 0
      makeRoom()
      if (!finished) options.onLeave?.()
    }
  }

  return {
    push(value) {
      if (closed) return
      queue.push(value)
      wake()
      if (queue.length < limit) return
      if (room === undefined) {
        let resolve = (): void => {}
        const promise = new Promise<void>((done) => (resolve = done))
        room = { promise, resolve }
      }
      return room.promise
    },
    end() {
      closed = true
      wake()
      makeRoom()
    },
    get closed() {
      return closed
    },
    get size() {
      return queue.length
    },
    [Symbol.asyncIterator]: () => read(),
  }
}
