/** Waits, or less: until `signal` aborts, or the browser says that it is online again. Does not reject. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const page = typeof window === 'undefined' ? undefined : window
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      page?.removeEventListener('online', done)
      resolve()
    }
    signal?.addEventListener('abort', done)
    page?.addEventListener('online', done)
  })
}
