import type { Store } from '../store/store.ts'

/** What a process writes to its store, as a chaos test aims at it. */
export type StoreWrite =
  | { readonly type: 'append'; readonly settles: boolean }
  | { readonly type: 'put'; readonly namespace: string }
  | { readonly type: 'putWrites'; readonly namespace: string; readonly channels: readonly string[] }

export interface MortalStore {
  readonly store: Store
  /** Resolves when the process that uses it has died. */
  readonly died: Promise<void>
}

/**
 * A store whose process dies at a named write, before it or after it: from then on nothing that is asked of the store
 * happens or is answered, as for a process that was killed. The store behind it stays open for the next one.
 */
export function mortalStore(
  store: Store,
  diesAt: (write: StoreWrite) => 'before' | 'after' | null,
): MortalStore {
  let isDead = false
  let die = (): void => {}
  const died = new Promise<void>((resolve) => (die = resolve))
  const never = new Promise<never>(() => {})

  async function write<T>(what: StoreWrite, act: () => T | Promise<T>): Promise<T> {
    const when = diesAt(what)
    if (when === 'before') {
      isDead = true
      die()
      return never
    }
    const done = await act()
    if (when !== 'after') return done
    isDead = true
    die()
    return never
  }

  function mortal<T extends object>(
    part: T,
    writeOf: (key: string, args: unknown[]) => StoreWrite | null,
  ): T {
    return new Proxy(part, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target)
        if (typeof member !== 'function' || typeof key !== 'string') return member
        return (...args: unknown[]) => {
          if (isDead) return never
          const what = writeOf(key, args)
          const act = (): unknown => Reflect.apply(member, target, args)
          return what === null ? act() : write(what, act)
        }
      },
    })
  }

  const { checkpointer } = store
  return {
    died,
    store: {
      ...store,
      runs: mortal(store.runs, () => null),
      threads: mortal(store.threads, () => null),
      segments: mortal(store.segments, (key, [appends]) =>
        key === 'append' && Array.isArray(appends)
          ? { type: 'append', settles: appends.some((append) => 'settle' in append && append.settle) }
          : null,
      ),
      checkpointer:
        typeof checkpointer === 'object' && checkpointer !== null
          ? mortal(checkpointer, saverWrite)
          : checkpointer,
      close: async () => {},
    },
  }
}

function saverWrite(key: string, [config, writes]: unknown[]): StoreWrite | null {
  if (key !== 'put' && key !== 'putWrites') return null
  const configurable: unknown = Reflect.get(Object(config), 'configurable')
  const namespace = String(Reflect.get(Object(configurable), 'checkpoint_ns') ?? '')
  if (key === 'put') return { type: 'put', namespace }
  const channels = Array.isArray(writes) ? writes.map((one) => String(Reflect.get(Object(one), 0))) : []
  return { type: 'putWrites', namespace, channels }
}
