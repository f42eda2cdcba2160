import { PassThrough } from 'node:stream'
import type { Io, Terminal } from '../io.ts'

export interface FakeTerminal {
  readonly io: Io
  /** All that was written to it. */
  readonly shown: () => string
  /** Resolves when what is awaited has been shown. */
  readonly until: (text: string) => Promise<void>
  readonly type: (line: string) => void
  /** Ctrl-D. */
  readonly leave: () => void
  /** Ctrl-C. */
  readonly stop: () => void
}

/** A person's terminal of 80 by 24, without colours. */
export function terminal(): FakeTerminal {
  const stop = new AbortController()
  let text = ''
  const waiting = new Set<() => void>()
  const stream = (): Terminal => {
    const through = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
    through.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      for (const check of waiting) check()
    })
    return through
  }
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  return {
    io: { stdin, stdout: stream(), stderr: stream(), env: { NO_COLOR: '1' }, cwd: '/', signal: stop.signal },
    shown: () => text,
    until: (awaited) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!text.includes(awaited)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    type: (line) => void stdin.write(`${line}\n`),
    leave: () => void stdin.end(),
    stop: () => stop.abort(),
  }
}
