/** An iterable of what `work` pushes; it ends or throws as the work does. */
export async function* relay<T>(
  work: (push: (value: T) => void) => Promise<unknown>,
): AsyncGenerator<T, void> {
  const queue: T[] = []
  let wake: () => void = () => undefined
  let outcome: { readonly error?: unknown } | undefined
  const settle = (how: { readonly error?: unknown }) => {
    outcome = how
    wake()
  }
  const push = (value: T) => {
    queue.push(value)
    wake()
  }
  work(push).then(
    () => settle({}),
    (error: unknown) => settle({ error }),
  )
  while (true) {
    const value = queue.shift()
    if (value !== undefined) yield value
    else if (outcome === undefined) await new Promise<void>((resolve) => (wake = resolve))
    else if ('error' in outcome) throw outcome.error
    else return
  }
}
