import type { Entry, Envelope } from '@clewline/core'
import type { Segment } from '../store/store.ts'

/** One SSE event: the position as its id, the envelope as its only data line (JSON has no raw line feeds). */
function frame(position: number, json: string): string {
  return `id: ${position}\ndata: ${json}\n\n`
}

/** A segment with the entries that it holds, for readers that want objects. */
export interface ParsedSegment extends Segment {
  readonly entries: readonly Entry[]
}

/** Envelopes in a row at most: reading the end of a larger one would cost. */
const ROW = 512

/**
 * Entries as rows of the log that stand for the positions from `first` on. At least one row, even of nothing, so that a
 * run can end without an envelope.
 */
export function rowsOf(entries: readonly Entry[], first: number, encode?: Encode): ParsedSegment[] {
  const rows: ParsedSegment[] = []
  for (let from = 0; from < entries.length || from === 0; from += ROW) {
    const part = entries.slice(from, from + ROW)
    rows.push({ ...segmentOf(part, (rows.at(-1)?.last ?? first - 1) + 1, encode), entries: part })
  }
  return rows
}

/** Entries as one segment. `first` is the first position it stands for, which may be before its first entry's. */
export function segmentOf(
  entries: readonly Entry[],
  first: number,
  encode: Encode = JSON.stringify,
): Segment {
  let text = ''
  for (const { position, envelope } of entries) text += frame(position, encode(envelope))
  return { first, last: entries.at(-1)?.position ?? first - 1, bytes: Buffer.from(text) }
}

export type Encode = (envelope: Envelope) => string

/** The entries of a segment after a position. */
export function entriesOf(segment: Segment, after = 0): Entry[] {
  const entries: Entry[] = []
  for (const { position, json } of framesOf(segment)) {
    if (position > after) entries.push({ position, envelope: JSON.parse(json) })
  }
  return entries
}

/** The frames of a segment as text, without parsing the envelopes. */
export function* framesOf(segment: Segment): Generator<{ position: number; json: string }> {
  const text = asBuffer(segment.bytes).toString()
  let start = 0
  while (start < text.length) {
    const line = text.indexOf('\n', start)
    const end = text.indexOf('\n\n', line)
    yield { position: Number(text.slice(start + 4, line)), json: text.slice(line + 7, end) }
    start = end + 2
  }
}

/** The bytes of a segment that come after a position: a view, not a copy. */
export function bytesAfter(segment: Segment, after: number): Uint8Array {
  if (segment.first > after) return segment.bytes
  const bytes = asBuffer(segment.bytes)
  let start = 0
  while (start < bytes.length) {
    const line = bytes.indexOf(10, start)
    if (Number(bytes.toString('latin1', start + 4, line)) > after) break
    start = bytes.indexOf('\n\n', line) + 2
  }
  return bytes.subarray(start)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
