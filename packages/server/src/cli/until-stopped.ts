/** Waits for Ctrl-C or SIGTERM. The timer is what keeps a process alive that only waits. */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const timer = setInterval(() => undefined, 60_000)
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  clearInterval(timer)
}
