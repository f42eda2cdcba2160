import type { Entry, Envelope } from '@clewline/core'
import type { NewPart, StoredEnvelope } from '@clewline/core/parts'
import { foldTokens } from '@clewline/core/read'
import type { NewSegment, Segment } from '../store/store.ts'
import type { Decoder } from './decoder.ts'
import { type Encode, logEncoder } from './encode-envelope.ts'
import { framesOf, rowsOf, withParts } from './frames.ts'

/** Rows that stand for the same positions and read the same, and how many envelopes they have less. */
export interface FoldedRows {
  readonly rows: readonly NewSegment[]
  readonly saved: number
}

/** What folding must see of an envelope: a token whole, of all else the head. The parts in the rest need not be read. */
export function tokensOnly(envelope: StoredEnvelope): StoredEnvelope {
  return envelope.type === 'llm_token' ? envelope : { ...envelope, payload: {} }
}

/**
 * Folds the tokens in neighbouring rows of a log. Null when nothing can be folded. All else is copied as it stood, so
 * that the cost is linear in the rows' bytes, and so is every part, also one that no envelope here refers to any more:
 * a later row may. `decoder` projects with `tokensOnly`.
 */
export async function foldRows(
  segments: readonly Segment[],
  decoder: Decoder,
  turn: () => Promise<void>,
): Promise<FoldedRows | null> {
  const [first] = segments
  if (first === undefined) return null
  const entries: Entry[] = []
  const copy = createCopy()
  for (const segment of segments) {
    const decoded = await decoder.decode(segment)
    copy.take(segment, decoded.entries)
    for (const entry of decoded.entries) entries.push(entry)
    await turn()
  }
  const folded = foldTokens(entries)
  if (folded.length === entries.length) return null
  const rows = rowsOf(folded, first.first, copy.encode)
  const last = rows.pop()
  if (last !== undefined) rows.push(withParts(last, copy.rest()))
  return { rows, saved: entries.length - folded.length }
}

/** Writes frames of old rows again. */
interface Copy {
  /** `entries` are those of the segment. */
  take(segment: Segment, entries: readonly Entry[]): void
  /** Of an envelope that was taken, the text that it had, with the parts that stood before it. Others are interned. */
  readonly encode: Encode
  /** The parts that stood behind the last envelope. */
  rest(): readonly NewPart[]
}

function createCopy(): Copy {
  const old = new Map<Envelope, { readonly position: number; readonly json: string }>()
  const owed: { readonly part: NewPart; readonly before: number }[] = []
  const written = new Set<string>()
  const intern = logEncoder()(written)
  let next = 0

  function due(position: number): readonly NewPart[] {
    const parts: NewPart[] = []
    for (let one = owed[next]; one !== undefined && one.before <= position; one = owed[++next]) {
      if (written.has(one.part.hash)) continue
      written.add(one.part.hash)
      parts.push(one.part)
    }
    return parts
  }

  return {
    take(segment, entries) {
      let at = 0
      for (const frame of framesOf(segment)) {
        const entry = entries[at]
        if (frame.type === 'part') {
          const part = { hash: frame.name, json: frame.value }
          owed.push({ part, before: entry?.position ?? segment.last + 1 })
        } else if (entry !== undefined) {
          old.set(entry.envelope, { position: entry.position, json: frame.json })
          at++
        }
      }
    },
    encode(envelope) {
      const taken = old.get(envelope)
      return taken === undefined ? intern(envelope) : { json: taken.json, parts: due(taken.position) }
    },
    rest: () => due(Infinity),
  }
}
