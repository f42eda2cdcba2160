/** Opens a gate once, from a test, for a scene that waits at it. */
export function gate(): {
  readonly opened: Promise<void>
  open(): void
  readonly reached: Promise<void>
  arrive(): Promise<void>
} {
  let open = (): void => undefined
  let reach = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  return {
    opened,
    open: () => open(),
    reached,
    arrive() {
      reach()
      return opened
    },
  }
}
