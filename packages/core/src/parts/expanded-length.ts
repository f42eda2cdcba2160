import { isRecord } from '../is-record.ts'
import type { Json } from '../json.ts'
import { LIST_KEY, onlyKey, PART_KEY } from './part.ts'

/**
 * Says how many characters a value has, about, once its references are replaced. In linear time, whatever refers to what
 * how often: a file of a few lines can stand for terabytes.
 */
export function createExpandedLength(valueOf: (hash: string) => Json | undefined): (value: Json) => number {
  const known = new Map<string, number>()

  function lengthOf(value: Json): number {
    if (typeof value === 'string') return value.length + 2
    if (typeof value !== 'object' || value === null) return 4
    if (!isRecord(value)) return sum(value)
    const key = onlyKey(value)
    const hash = key === undefined ? undefined : value[key]
    if (typeof hash !== 'string') return sum(Object.values(value))
    if (key === PART_KEY) return lengthAt(hash, lengthOf)
    if (key === LIST_KEY) return lengthOfList(hash)
    return hash.length
  }

  const sum = (values: readonly Json[]): number => values.reduce<number>((all, one) => all + lengthOf(one), 2)

  function lengthAt(hash: string, measure: (value: Json) => number): number {
    const before = known.get(hash)
    if (before !== undefined) return before
    // A part within itself is refused by who resolves it; here it must only end.
    known.set(hash, 0)
    const value = valueOf(hash)
    const length = value === undefined ? 0 : measure(value)
    known.set(hash, length)
    return length
  }

  /** From its beginning, in a loop: a conversation is longer than the stack. */
  function lengthOfList(head: string): number {
    const nodes: string[] = []
    const seen = new Set<string>()
    for (
      let at: string | null = head;
      at !== null && !seen.has(at) && !known.has(at);
      at = before(valueOf(at))
    ) {
      seen.add(at)
      nodes.push(at)
    }
    for (const at of nodes.reverse()) {
      lengthAt(at, (node) => {
        const prev = before(node)
        return lengthOf(items(node)) + (prev === null ? 0 : (known.get(prev) ?? 0))
      })
    }
    return known.get(head) ?? 0
  }

  return lengthOf
}

function before(node: Json | undefined): string | null {
  const prev = field(node, 'prev')
  return typeof prev === 'string' ? prev : null
}

const items = (node: Json): Json => field(node, 'items') ?? null

function field(node: Json | undefined, name: string): Json | undefined {
  return isRecord(node) ? node[name] : undefined
}
