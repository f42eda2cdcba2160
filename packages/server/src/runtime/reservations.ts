interface Counter {
  /** Admitted since there is the counter, and how many of those are stored, or were given up. */
  admitted: number
  settled: number
  users: number
}

export interface Reservation<T> {
  /** What is limited, and whose. */
  readonly key: string
  readonly limit: number
  /** How many the store has. */
  readonly count: () => Promise<number>
  readonly refuse: () => never
  /** Stores one more. */
  readonly insert: () => Promise<T>
}

/** Check and insert without a lock: requests that come at once do not get past a limit together, in this process. */
export type Reserve = <T>(reservation: Reservation<T>) => Promise<T>

export function createReservations(): Reserve {
  const counters = new Map<string, Counter>()

  return async ({ key, limit, count, refuse, insert }) => {
    if (limit === Infinity) return await insert()
    const counter = counters.get(key) ?? { admitted: 0, settled: 0, users: 0 }
    counters.set(key, counter)
    counter.users += 1
    try {
      // What was admitted and not yet stored when the store was asked is missing in its answer, and counts as there.
      const { settled } = counter
      if ((await count()) + counter.admitted - settled >= limit) refuse()
      counter.admitted += 1
      try {
        return await insert()
      } finally {
        counter.settled += 1
      }
    } finally {
      counter.users -= 1
      if (counter.users === 0) counters.delete(key)
    }
  }
}
