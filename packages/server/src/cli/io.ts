import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ClewlineError } from '@clewline/core'

/** The world as a command sees it. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Terminal
  readonly stderr: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

/** A stream that may be a terminal. */
export type Terminal = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** Waits when the other end is slow, so that a long output does not pile up. */
export async function write(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text) && !stream.destroyed) await once(stream, 'drain')
}

/** One JSON value on one line. */
export async function writeJson(stream: Writable, value: unknown): Promise<void> {
  await write(stream, `${JSON.stringify(value)}\n`)
}

/** Writes text to a file, or to standard output when none is named. What is in the file stays until there is something to write. */
export async function writeAll(
  pieces: AsyncGenerator<string>,
  file: string | undefined,
  io: Io,
): Promise<void> {
  if (file === undefined) {
    for await (const piece of pieces) await write(io.stdout, piece)
    return
  }
  const first = await pieces.next()
  async function* all(): AsyncGenerator<string> {
    if (first.done !== true) yield first.value
    yield* pieces
  }
  await pipeline(all(), createWriteStream(file)).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error
    throw new ClewlineError('bad-file', `Cannot write ${file}: ${reasonOf(error, 'directory')}.`, {
      hint: 'Choose another file with --out.',
      cause: error,
    })
  })
}

/** The text of a file in pieces; `-` is standard input. */
export async function openText(file: string, io: Io): Promise<AsyncIterable<string>> {
  if (file === '-') return textOf(io.stdin.setEncoding('utf8'), file, io.signal)
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  if (found.isDirectory()) throw unreadable(file, new Error('it is a directory'))
  return textOf(createReadStream(file, 'utf8'), file, io.signal)
}

/** Ends at Ctrl-C, also while it waits for more. */
async function* textOf(stream: Readable, file: string, signal: AbortSignal): AsyncGenerator<string> {
  try {
    for await (const text of addAbortSignal(signal, stream)) yield String(text)
  } catch (error) {
    if (!signal.aborted) throw unreadable(file, error)
  }
}

function unreadable(file: string, cause: unknown): ClewlineError {
  return new ClewlineError('bad-file', `Cannot read ${file}: ${reasonOf(cause, 'file')}.`, {
    hint: 'Give the path of a file, or - for standard input.',
    cause,
  })
}

function reasonOf(error: unknown, missing: 'file' | 'directory'): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return `there is no such ${missing}`
  return code === 'EACCES' ? 'that is not allowed' : error.message
}
