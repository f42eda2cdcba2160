/** When a process dies at a write: before it is made, or after it. */
export type Death = 'before' | 'after'

/** A process that dies at a write which a chaos test aims at. */
export interface MortalProcess<Write> {
  /** Resolves when it has died. */
  readonly died: Promise<void>
  /** The same object as the process uses it: once the process is dead, nothing asked of it happens or is answered. */
  readonly part: <Part extends object>(
    part: Part,
    writeOf: (method: string, args: readonly unknown[]) => Write | null,
  ) => Part
}

export function mortalProcess<Write>(diesAt: (write: Write) => Death | null): MortalProcess<Write> {
  let isDead = false
  let announce = (): void => {}
  const died = new Promise<void>((resolve) => (announce = resolve))
  const never = new Promise<never>(() => {})

  function die(): Promise<never> {
    isDead = true
    announce()
    return never
  }

  async function make(write: Write, act: () => unknown): Promise<unknown> {
    const when = diesAt(write)
    if (when === 'before') return die()
    const made = await act()
    return when === 'after' ? die() : made
  }

  return {
    died,
    part: (part, writeOf) =>
      new Proxy(part, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key, target)
          if (typeof member !== 'function' || typeof key !== 'string') return member
          return (...args: unknown[]) => {
            if (isDead) return never
            const write = writeOf(key, args)
            const act = (): unknown => Reflect.apply(member, target, args)
            return write === null ? act() : make(write, act)
          }
        },
      }),
  }
}

/** A write of LangGraph to its checkpointer. */
export type SaverWrite =
  | { readonly type: 'put'; readonly namespace: string }
  | { readonly type: 'putWrites'; readonly namespace: string; readonly channels: readonly string[] }

/** For the `part` that is a checkpointer. */
export function saverWrite(method: string, [config, writes]: readonly unknown[]): SaverWrite | null {
  if (method !== 'put' && method !== 'putWrites') return null
  const configurable: unknown = Reflect.get(Object(config), 'configurable')
  const namespace = String(Reflect.get(Object(configurable), 'checkpoint_ns') ?? '')
  if (method === 'put') return { type: 'put', namespace }
  const channels = Array.isArray(writes) ? writes.map((one) => String(Reflect.get(Object(one), 0))) : []
  return { type: 'putWrites', namespace, channels }
}
