/**
 * Appends to lists that snapshots may share: a list is copied at its first change after a snapshot, and grows in place
 * until the next. Copying it each time would cost the square of its length.
 */
export interface CowLists {
  /** The list with one more item: the same one if no snapshot has it. */
  append<T>(list: readonly T[], item: T): readonly T[]
  snapshot(): void
}

export function createCowLists(): CowLists {
  let own = new WeakMap<readonly unknown[], unknown[]>()
  return {
    append(list, item) {
      const mine = own.get(list)
      if (mine !== undefined) {
        mine.push(item)
        return list
      }
      const copy = [...list, item]
      own.set(copy, copy)
      return copy
    },
    snapshot() {
      own = new WeakMap()
    },
  }
}
