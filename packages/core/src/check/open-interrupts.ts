/** A call as far as waiting goes. */
interface Waiting<C> {
  readonly parent: C | null
  readonly openChildren: ReadonlySet<C>
}

/** Which interrupts of one trace wait for an answer, and where they were raised. */
export interface OpenInterrupts<C> {
  /** The call that already waits on this interrupt; null when none did, and now this one does. */
  raise(id: string, call: C): C | null
  /** Ids of the interrupts that the call itself waits on. */
  waits(call: C): Iterable<string>
  /** The call waits no more. */
  settle(call: C): void
  /** The call goes on, and with it whatever waits inside it. */
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
      // It grows while it is walked: a stack of calls could not hold what a hostile stream nests.
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
