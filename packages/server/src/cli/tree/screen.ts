import type { Terminal } from '../io.ts'

/** A part of the terminal that is drawn over and over, below whatever was printed before. */
export interface Screen {
  draw(lines: readonly string[]): void
  /** Takes the drawing away, so that something else can be printed in its place. */
  clear(): void
}

const HIDE = '\u001b[?25l'
const SHOW = '\u001b[?25h'
// Terminals that know synchronized output swap the picture at once; others ignore it.
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'
const CLEAR_BELOW = '\u001b[J'

export function createScreen(stream: Terminal): Screen {
  let height = 0
  const restore = (): void => void stream.write(SHOW)

  /** To the first column of the first line of the drawing. */
  const home = (): string => (height === 0 ? '\r' : `\u001b[${height}A\r`)

  return {
    draw(lines) {
      if (height === 0) process.once('exit', restore)
      stream.write(`${BEGIN}${HIDE}${home()}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join('')}${END}`)
      height = lines.length
    },
    clear() {
      if (height === 0) return
      stream.write(`${home()}${CLEAR_BELOW}${SHOW}`)
      height = 0
      process.off('exit', restore)
    },
  }
}
