/**
 * A persistent (immutable) map without deletion, as plain JSON: a log-structured merge of layers, the newest first, each
 * about twice as large as the one above it. A put copies the small top layer; now and then two layers are merged.
 */
export type GrowOnlyMap<T> = readonly Layer<T>[]

interface Layer<T> {
  readonly entries: Readonly<Record<string, T>>
  /** How many entries were put into it. */
  readonly puts: number
}

const TOP = 32

export function growOnlyMap<T>(entries: readonly (readonly [string, T])[] = []): GrowOnlyMap<T> {
  return entries.length === 0 ? [] : [{ entries: Object.fromEntries(entries), puts: entries.length }]
}

export function entryOf<T>(layers: GrowOnlyMap<T>, key: string): T | undefined {
  for (const { entries } of layers) if (Object.hasOwn(entries, key)) return entries[key]
  return undefined
}

export function withEntry<T>(layers: GrowOnlyMap<T>, key: string, value: T): GrowOnlyMap<T> {
  const [top, ...rest] = layers
  if (top === undefined) return [{ entries: { [key]: value }, puts: 1 }]
  if (top.puts < TOP) return [{ entries: { ...top.entries, [key]: value }, puts: top.puts + 1 }, ...rest]
  let full = top
  for (let below = rest[0]; below !== undefined && below.puts <= full.puts; below = rest[0]) {
    full = { entries: { ...below.entries, ...full.entries }, puts: below.puts + full.puts }
    rest.shift()
  }
  return [{ entries: { [key]: value }, puts: 1 }, full, ...rest]
}

export function keysOf(layers: GrowOnlyMap<unknown>): ReadonlySet<string> {
  return new Set(layers.flatMap(({ entries }) => Object.keys(entries)))
}
