import { stripVTControlCharacters } from 'node:util'

/** Control characters other than the newline, and those that turn the direction of text. */
const CONTROLS = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu

/** What a model or a tool says is shown, never obeyed: no escape sequence of theirs reaches the terminal. */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\t', '  ').replace(CONTROLS, '')
}

/** On one line. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim()
}

const WIDE =
  /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const NONE = /\p{Mn}|\p{Me}|\p{Cf}/u

/** How many columns a character takes. */
function columnsOf(character: string): number {
  if (character < '\u0300') return 1
  if (NONE.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

export function width(text: string): number {
  let sum = 0
  for (const character of text) sum += columnsOf(character)
  return sum
}

/** Cut to so many columns, with an ellipsis where something is missing. */
export function fit(text: string, columns: number): string {
  if (width(text) <= columns) return text
  let kept = ''
  let used = 1
  for (const character of text) {
    used += columnsOf(character)
    if (used > columns) break
    kept += character
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`
}

/** Lines of at most so many columns, broken at spaces where there are any. */
export function wrap(text: string, columns: number): readonly string[] {
  return clean(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(columns, 8)))
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<=\s)/)) {
    if (width(current) + width(word.trimEnd()) <= columns) {
      current += word
      continue
    }
    if (current !== '') lines.push(current.trimEnd())
    current = word
    while (width(current.trimEnd()) > columns) {
      const head = takeColumns(current, columns)
      lines.push(head)
      current = current.slice(head.length)
    }
  }
  lines.push(current.trimEnd())
  return lines
}

function takeColumns(text: string, columns: number): string {
  let kept = ''
  let used = 0
  for (const character of text) {
    used += columnsOf(character)
    if (used > columns) break
    kept += character
  }
  // A single character may be wider than the room: it is taken all the same, or wrapping would never end.
  return kept === '' ? String.fromCodePoint(text.codePointAt(0) ?? 0) : kept
}
