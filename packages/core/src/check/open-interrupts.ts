/** How to find the calls inside and around a call. */
interface Waiting<C> {
  readonly parent: C | null
  readonly openChildren: ReadonlySet<C>
}

/** Which interrupts of one trace wait for an answer, and where they were raised. */
export interface OpenInterrupts<C> {
  /** Records that `call` waits on the interrupt, and gives null; or the call that waits on it already, unchanged. */
  raise(id: string, call: C): C | null
  /** Ids of the interrupts that the call itself waits on. */
  waits(call: C): Iterable<string>
  /** The call waits no more. */
  settle(call: C): void
  /** The call goes on, and with it every call inside it. */
  goOn(call: C): void
  /** Every call that waits, and the calls around them. */
  waiting(): ReadonlySet<C>
}

export function createOpenInterrupts<C extends Waiting<C>>(): OpenInterrupts<C> {
  const askers = new Map<string, C>()
  const asked = new Map<C, Set<string>>()

  function settle(call: C): void {
    for (const id of asked.get(call) ?? []) askers.delete(id)
    asked.delete(call)
  }

  return {
    raise(id, call) {
      const asker = askers.get(id)
      if (asker !== undefined) return asker
      askers.set(id, call)
      const ids = asked.get(call)
      if (ids === undefined) asked.set(call, new Set([id]))
      else ids.add(id)
      return null
    },
    waits: (call) => asked.get(call) ?? [],
    settle,
    goOn(call) {
      if (asked.size === 0) return
      const going = [call]
      // Breadth-first, not recursive: a hostile stream could nest deeper than the stack.
      for (const one of going) {
        settle(one)
        for (const child of one.openChildren) going.push(child)
      }
    },
    waiting() {
      const found = new Set<C>()
      for (const asker of asked.keys())
        for (let at: C | null = asker; at !== null && !found.has(at); at = at.parent) found.add(at)
      return found
    },
  }
}
