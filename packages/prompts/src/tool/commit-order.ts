/** A place in the order in which tool calls may commit. */
interface Ticket {
  /** Resolves when every call before this one that has begun is over. */
  turn(): Promise<void>
  done(): void
}

export interface CommitOrder {
  /** The calls of a model's answer, in its order. */
  announce(callIds: readonly string[]): void
  begin(callId: string): Ticket
}

/**
 * Calls of one turn run at once and commit in the order in which the model made them, so that the same answers leave
 * the same state. Only calls that have begun are waited for: a graph that runs them one by one cannot deadlock.
 */
export function commitOrder(): CommitOrder {
  const ranks = new Map<string, number>()
  const running = new Map<string, { readonly rank: number; readonly over: Promise<void> }>()
  let next = 0
  return {
    announce(callIds) {
      for (const id of callIds) ranks.set(id, next++)
    },
    begin(callId) {
      const rank = ranks.get(callId) ?? next++
      let resolve: () => void = () => undefined
      const over = new Promise<void>((settle) => (resolve = settle))
      running.set(callId, { rank, over })
      return {
        async turn() {
          if (running.size === 1) return
          const before = [...running.values()].filter((each) => each.rank < rank)
          await Promise.all(before.map((each) => each.over))
        },
        done() {
          running.delete(callId)
          ranks.delete(callId)
          resolve()
        },
      }
    },
  }
}
