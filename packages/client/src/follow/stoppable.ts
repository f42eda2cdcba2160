/**
 * An iterable of what `start` generates. Leaving it aborts the signal first: `return` of a generator alone waits for the
 * `next` before it, which may be for as long as the server has nothing to say.
 */
export function stoppable<T>(
  start: (signal: AbortSignal) => AsyncGenerator<T, void>,
  signal?: AbortSignal,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const stop = new AbortController()
      const events = start(signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]))
      return {
        next: () => events.next(),
        return() {
          stop.abort()
          return events.return()
        },
      }
    },
  }
}
