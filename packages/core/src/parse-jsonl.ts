import type { Envelope } from './envelope.ts'
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
    const trimmed = (line === 1 ? text.replace(/^\uFEFF/, '') : text).trim()
    if (trimmed === '') continue
    yield { line, ...parsed(trimmed) }
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

async function* lines(chunks: Chunks): AsyncGenerator<string> {
  // Pieces of one line are joined once: adding each to what is there would be quadratic in a long line.
  let pieces: string[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      pieces.push(chunk.slice(start, end))
      yield pieces.join('')
      pieces = []
      start = end + 1
    }
    pieces.push(chunk.slice(start))
  }
  yield pieces.join('')
}
