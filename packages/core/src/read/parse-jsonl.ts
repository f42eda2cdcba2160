import type { Envelope } from '../envelope.ts'
import { isRecord } from '../is-record.ts'
import { partHash } from '../parts/part-hash.ts'
import type { Part, StoredEnvelope } from '../parts/part.ts'
import { createResolver, type Resolver, type ResolverOptions } from '../parts/resolve.ts'
import { parseEnvelope } from './parse-envelope.ts'

/** Text in pieces of any length: a file, a response body, standard input. */
export type Chunks = Iterable<string> | AsyncIterable<string>

/** The values of a JSONL text, each with its line number. A bad line is a problem; the lines after it are still read. */
export async function* readJsonl(
  chunks: Chunks,
): AsyncGenerator<{ line: number; value: unknown } | { line: number; problem: string }> {
  let line = 0
  for await (const text of lines(chunks)) {
    line += 1
    if (text === null) {
      yield { line, problem: `Longer than ${LONGEST} characters.` }
      continue
    }
    // `trim` strips a byte order mark, too.
    const trimmed = text.trim()
    if (trimmed !== '') yield { line, ...parsed(trimmed) }
  }
}

/**
 * The envelopes of a JSONL text, each with its line number and with the parts that it refers to in their places. A part
 * whose hash is not that of its value is a problem, and so is a reference to a part that no line before it has.
 */
export async function* parseJsonl(
  chunks: Chunks,
  options: ResolverOptions = {},
): AsyncGenerator<{ line: number; envelope: Envelope } | { line: number; problem: string }> {
  const parts = createResolver(options)
  for await (const read of readJsonl(chunks)) {
    const { line } = read
    if ('problem' in read) yield read
    else if (!isPart(read.value)) yield { line, ...envelopeOf(read.value, parts) }
    else {
      const { part, value } = read.value
      parts.define({ part, value })
      if (partHash(JSON.stringify(value)) !== part)
        yield { line, problem: `The hash of part ${part} is wrong.` }
    }
  }
}

function envelopeOf(value: unknown, parts: Resolver): { envelope: Envelope } | { problem: string } {
  if (!isStored(value)) return parseEnvelope(value)
  try {
    return parseEnvelope(parts.resolve(value))
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

const isPart = (value: unknown): value is Part =>
  isRecord(value) && typeof value['part'] === 'string' && value['value'] !== undefined

const isStored = (value: unknown): value is StoredEnvelope => isRecord(value) && isRecord(value['payload'])

function parsed(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `Not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Above what a log takes as one value unless configured otherwise, and below what a JavaScript string can hold. */
const LONGEST = 2 ** 27

/** Null for a line that is too long to be held. */
async function* lines(chunks: Chunks): AsyncGenerator<string | null> {
  const line = createLine()
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      line.add(chunk.slice(start, end))
      yield line.take()
      start = end + 1
    }
    line.add(chunk.slice(start))
  }
  yield line.take()
}

/** Pieces of one line are joined once: adding each to what is there would be quadratic in a long line. */
function createLine(): { add(piece: string): void; take(): string | null } {
  let pieces: string[] = []
  let length = 0
  return {
    add(piece) {
      length += piece.length
      if (length <= LONGEST) pieces.push(piece)
      else pieces = []
    },
    take() {
      const text = length <= LONGEST ? pieces.join('') : null
      pieces = []
      length = 0
      return text
    },
  }
}
