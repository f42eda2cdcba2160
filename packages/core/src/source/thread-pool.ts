/** An LRU cache of threads, with a lock on each: the longest unused is evicted first, a thread with a run never. */
export interface ThreadPool<T> {
  /** The thread's entry, locked; undefined while another run has it. */
  acquire(thread: string): T | undefined
  release(thread: string): void
  /** Looks without locking or making. */
  peek(thread: string): T | undefined
  readonly size: number
  clear(): void
}

export interface ThreadPoolOptions<T> {
  readonly max: number
  readonly idleMs: number
  readonly make: () => T
  readonly onEvict: (thread: string) => void
  readonly now?: () => number
}

interface Slot<T> {
  readonly value: T
  isBusy: boolean
  usedAt: number
}

export function threadPool<T>(options: ThreadPoolOptions<T>): ThreadPool<T> {
  const now = options.now ?? Date.now
  // A Map keeps insertion order; a used slot is inserted again, so the first is the longest unused.
  const slots = new Map<string, Slot<T>>()

  function touch(thread: string, slot: Slot<T>): void {
    slot.usedAt = now()
    slots.delete(thread)
    slots.set(thread, slot)
  }

  function sweep(): void {
    const oldest = now() - options.idleMs
    let excess = slots.size - options.max
    for (const [thread, slot] of slots) {
      if (excess <= 0 && slot.usedAt > oldest) return
      if (slot.isBusy) continue
      slots.delete(thread)
      excess--
      options.onEvict(thread)
    }
  }

  return {
    acquire(thread) {
      const slot = slots.get(thread) ?? { value: options.make(), isBusy: false, usedAt: 0 }
      if (slot.isBusy) return undefined
      slot.isBusy = true
      touch(thread, slot)
      sweep()
      return slot.value
    },
    release(thread) {
      const slot = slots.get(thread)
      if (slot === undefined) return
      slot.isBusy = false
      touch(thread, slot)
      sweep()
    },
    peek: (thread) => slots.get(thread)?.value,
    get size() {
      return slots.size
    },
    clear() {
      for (const thread of slots.keys()) options.onEvict(thread)
      slots.clear()
    },
  }
}
