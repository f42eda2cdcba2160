export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * A map that is written in place and shared by snapshots: a value is cloned before its first change after a snapshot,
 * so that a snapshot costs one shallow copy, and values that did not change keep their identity.
 */
export interface CowMap<V> {
  get(key: string): V | undefined
  /** The value, safe to write to. */
  edit(key: string): Mutable<V> | undefined
  set(key: string, value: V): void
  snapshot(): ReadonlyMap<string, V>
}

export function createCowMap<V extends object>(from: ReadonlyMap<string, V>): CowMap<V> {
  let shared = from
  let own: Map<string, V> | null = null
  const owned = new Set<string>()

  function writable(): Map<string, V> {
    own ??= new Map(shared)
    return own
  }

  return {
    get: (key) => (own ?? shared).get(key),
    edit(key) {
      const value = (own ?? shared).get(key)
      if (value === undefined || owned.has(key)) return value
      const copy = { ...value }
      writable().set(key, copy)
      owned.add(key)
      return copy
    },
    set(key, value) {
      writable().set(key, value)
      owned.add(key)
    },
    snapshot() {
      if (own !== null) shared = own
      own = null
      owned.clear()
      return shared
    },
  }
}
