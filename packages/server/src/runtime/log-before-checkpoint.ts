/** The calls of a checkpointer that make a state durable. */
const WRITES: ReadonlySet<string | symbol> = new Set(['put', 'putWrites'])

export interface SaveOptions {
  /** Flushes the log; false when the run may not save any more. */
  readonly before: () => Promise<boolean>
  /** A checkpoint was saved. */
  readonly saved?: () => void
  /** A state could not be saved, or not be read: the run cannot go on here. */
  readonly failed: (error: unknown, what: 'saved' | 'read') => void
}

/**
 * A checkpointer that waits for the log before it saves a state. So whatever led to a checkpoint is in the log when a
 * crash comes right after it, and the run that goes on from there leaves no call open that had in fact ended.
 *
 * Its writes never reject: LangGraph 1.4.18 holds their promises without a handler until the run ends, so that one
 * state that cannot be saved would end the process, and every other run with it.
 */
export function logBeforeCheckpoint(checkpointer: unknown, { before, saved, failed }: SaveOptions): unknown {
  if (typeof checkpointer !== 'object' || checkpointer === null) return checkpointer
  let isBroken = false

  async function save(key: string | symbol, write: () => unknown, config: unknown): Promise<unknown> {
    try {
      // A state that stands on one that was not saved is not saved either.
      if (isBroken || !(await before()) || isBroken) return config
      const result = await write()
      if (key === 'put') saved?.()
      return result
    } catch (error) {
      isBroken = true
      failed(error, 'saved')
      return config
    }
  }

  async function read(look: () => unknown): Promise<unknown> {
    try {
      return await look()
    } catch (error) {
      failed(error, 'read')
      throw error
    }
  }

  return new Proxy(checkpointer, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      if (WRITES.has(key)) {
        return (...args: unknown[]) => save(key, () => Reflect.apply(member, target, args), args[0])
      }
      if (key === 'getTuple') return (...args: unknown[]) => read(() => Reflect.apply(member, target, args))
      return member.bind(target)
    },
  })
}
