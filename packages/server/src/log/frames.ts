import type { Entry } from '@clewline/core'
import type { NewPart } from '@clewline/core/parts'
import type { NewSegment, Segment } from '../store/store.ts'
import { type Encode, encodeWhole } from './encode-envelope.ts'

/** One SSE event: the position as its id, the envelope as its only data line (JSON has no raw line feeds). */
function frame(position: number, json: string): string {
  return `id: ${position}\ndata: ${json}\n\n`
}

/** A part as an SSE event without an id: it has no position. */
function partFrame(part: NewPart): string {
  return `${PART}\ndata: ${partLine(part)}\n\n`
}

/** A part as it stands in a file. */
export function partLine({ hash, json }: NewPart): string {
  return `{"part":"${hash}","value":${json}}`
}

const PART = 'event: part'

/** A segment with the entries that it holds, for readers that want objects. */
export interface ParsedSegment extends NewSegment {
  readonly entries: readonly Entry[]
  readonly parts: readonly string[]
}

/** Envelopes in a row at most: reading the end of a larger one would cost. */
const ROW = 512
/** A row is full from here on, so that a page is not much larger than what was asked for. */
const ROW_CHARACTERS = 1024 * 1024

/**
 * Entries as rows of the log that stand for the positions from `first` on. At least one row, even of nothing, so that a
 * run can end without an envelope.
 */
export function rowsOf(entries: readonly Entry[], first: number, encode: Encode): ParsedSegment[] {
  const rows: ParsedSegment[] = []
  let row = openRow(first)
  for (const entry of entries) {
    if (row.entries.length === ROW || row.text.length >= ROW_CHARACTERS) {
      const full = closeRow(row)
      rows.push(full)
      row = openRow(full.last + 1)
    }
    addTo(row, entry, encode)
  }
  rows.push(closeRow(row))
  return rows
}

/** Entries as one segment. `first` is the first position it stands for, which may be before its first entry's. */
export function segmentOf(
  entries: readonly Entry[],
  first: number,
  encode: Encode = encodeWhole,
): ParsedSegment {
  const row = openRow(first)
  for (const entry of entries) addTo(row, entry, encode)
  return closeRow(row)
}

/** The row with parts behind its last envelope: nothing in it refers to them, but something later may. */
export function withParts(row: ParsedSegment, parts: readonly NewPart[]): ParsedSegment {
  if (parts.length === 0) return row
  return {
    ...row,
    bytes: Buffer.concat([row.bytes, Buffer.from(parts.map(partFrame).join(''))]),
    parts: [...row.parts, ...parts.map(({ hash }) => hash)],
  }
}

interface OpenRow {
  readonly first: number
  readonly entries: Entry[]
  readonly parts: string[]
  text: string
}

function openRow(first: number): OpenRow {
  return { first, entries: [], parts: [], text: '' }
}

function addTo(row: OpenRow, entry: Entry, encode: Encode): void {
  const { json, parts } = encode(entry.envelope)
  for (const part of parts) {
    row.text += partFrame(part)
    row.parts.push(part.hash)
  }
  row.text += frame(entry.position, json)
  row.entries.push(entry)
}

function closeRow({ first, entries, parts, text }: OpenRow): ParsedSegment {
  return { first, last: entries.at(-1)?.position ?? first - 1, bytes: Buffer.from(text), entries, parts }
}

/** An event of a segment, its JSON not parsed yet. */
export type Frame =
  | { readonly type: 'envelope'; readonly position: number; readonly json: string }
  /** `json` is the whole line, as in a file; `value` is that of the part. */
  | { readonly type: 'part'; readonly name: string; readonly json: string; readonly value: string }

/** The frames of a segment as text. */
export function* framesOf({ bytes }: Pick<Segment, 'bytes'>): Generator<Frame> {
  const text = asBuffer(bytes).toString()
  let start = 0
  while (start < text.length) {
    const line = text.indexOf('\n', start)
    const end = text.indexOf('\n\n', line)
    const json = text.slice(line + 7, end)
    if (text.startsWith(PART, start)) yield partOf(json)
    else yield { type: 'envelope', position: Number(text.slice(start + 4, line)), json }
    start = end + 2
  }
}

/** The line is as `partFrame` writes it, whatever the length of the name. */
function partOf(json: string): Frame {
  const name = json.slice(9, json.indexOf('"', 9))
  return { type: 'part', name, json, value: json.slice(9 + name.length + 10, -1) }
}

/**
 * The bytes of a segment that come after a position, with the parts that stand between that envelope and the next one:
 * a view, not a copy.
 */
export function bytesAfter(segment: Segment, after: number): Uint8Array {
  if (segment.first > after) return segment.bytes
  const bytes = asBuffer(segment.bytes)
  let behind = 0
  for (let start = 0; start < bytes.length;) {
    const line = bytes.indexOf(10, start)
    const head = bytes.toString('latin1', start, line)
    start = bytes.indexOf('\n\n', line) + 2
    if (head === PART) continue
    if (Number(head.slice(4)) > after) break
    behind = start
  }
  return bytes.subarray(behind)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
