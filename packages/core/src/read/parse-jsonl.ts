import type { Envelope } from '../envelope.ts'
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

/** The envelopes of a JSONL text, each with its line number. */
export async function* parseJsonl(
  chunks: Chunks,
): AsyncGenerator<{ line: number; envelope: Envelope } | { line: number; problem: string }> {
  for await (const read of readJsonl(chunks)) {
    yield 'problem' in read ? read : { line: read.line, ...parseEnvelope(read.value) }
  }
}

function parsed(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `Not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Far above what `coerce` lets into an envelope, and below what a JavaScript string can hold. */
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
