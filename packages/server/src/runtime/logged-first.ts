/** The calls of a checkpointer that make a state durable. */
const WRITES: ReadonlySet<string | symbol> = new Set(['put', 'putWrites'])

/**
 * A checkpointer that waits for the log before it saves a state. So whatever led to a checkpoint is in the log when a
 * crash comes right after it, and the run that goes on from there leaves no call open that had in fact ended.
 */
export function loggedFirst(checkpointer: unknown, flush: () => Promise<unknown>): unknown {
  if (typeof checkpointer !== 'object' || checkpointer === null) return checkpointer
  return new Proxy(checkpointer, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      if (!WRITES.has(key)) return member.bind(target)
      return async (...args: unknown[]): Promise<unknown> => {
        await flush()
        return Reflect.apply(member, target, args)
      }
    },
  })
}
