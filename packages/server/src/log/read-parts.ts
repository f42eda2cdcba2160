import { isRecord, type Json } from '@clewline/core'
import { createResolver, type Part, type Resolver } from '@clewline/core/parts'
import type { SegmentStore } from '../store/store.ts'
import { createPartTexts } from './part-texts.ts'

/**
 * Parts by their names, each followed by the parts that it refers to, so that a reader that joined in the middle of a
 * conversation has the whole of it with one request. Up to about `bytes`, at least one; names that the thread lacks are left out.
 */
export async function readParts(
  segments: Pick<SegmentStore, 'rowsOfParts'>,
  thread: string,
  names: readonly string[],
  bytes: number,
): Promise<readonly Part[]> {
  const texts = createPartTexts(segments, thread)
  const resolver = createResolver()
  const found = new Map<string, Part>()
  let left = bytes
  let wanted: readonly string[] = names
  while (wanted.length > 0) {
    const unread = wanted.filter((name) => texts.get(name) === undefined)
    if (unread.length > 0) await texts.fetch(unread)
    const next = new Set<string>()
    for (const name of wanted) {
      const text = texts.get(name)
      if (text === undefined || found.has(name)) continue
      if (left <= 0 && found.size > 0) return [...found.values()]
      left -= text.length
      const part: Part = { part: name, value: JSON.parse(text) }
      found.set(name, part)
      resolver.define(part)
      for (const more of referredBy(part.value, resolver)) if (!found.has(more)) next.add(more)
    }
    wanted = [...next]
  }
  return [...found.values()]
}

/** What a value refers to and the resolver does not have. Of a node of a list, also the node before it. */
function referredBy(value: Json, resolver: Resolver): readonly string[] {
  const prev = isRecord(value) && Array.isArray(value['items']) ? value['prev'] : null
  const list: Json = typeof prev === 'string' ? { $list: prev } : null
  try {
    return resolver.missing({ ...NO_HEAD, payload: { value, list } })
  } catch {
    // Not well formed: whoever asked for it finds out.
    return []
  }
}

/** `missing` looks at the payload only. */
const NO_HEAD = {
  type: 'warning',
  ts: 0,
  trace_id: '',
  run_id: '',
  call_id: '',
  parent_id: null,
  seq: 0,
  origin: 'replay',
  agent: '',
} as const
