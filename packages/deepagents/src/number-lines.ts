import { boundaryAt } from './cut-text.ts'

const MAX_LINE_LENGTH = 2000

/** Which part of a text is read. Lines and characters count from 0; `maxLength` is in characters. */
export interface LineRange {
  readonly offset: number
  readonly limit: number
  /** Characters to skip in each line. Given, lines are cut at `maxLength` only: to read on in a long one. */
  readonly column?: number | undefined
  readonly maxLength: number
}

/** Text as `cat -n` prints it: a number in six columns, a tab, the line. Whatever is left out is said. */
export function numberLines(
  content: string,
  { offset, limit, column, maxLength }: LineRange,
): { text: string; failed?: boolean } {
  if (content === '') return { text: 'The file exists but is empty.' }
  const lines = content.split(/\r\n|\n/)
  // A final line break ends the last line; it does not begin another one.
  if (lines.at(-1) === '') lines.pop()
  if (offset >= lines.length) {
    return {
      text: `Offset ${offset} is past the end: the file has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}.`,
      failed: true,
    }
  }
  const lineLength = column === undefined ? Math.min(MAX_LINE_LENGTH, maxLength) : maxLength
  const shown: string[] = []
  let length = 0
  for (const [index, line] of lines.slice(offset, offset + limit).entries()) {
    const text = `${String(offset + index + 1).padStart(6)}\t${partOf(line, column ?? 0, lineLength)}`
    length += text.length + 1
    if (length > maxLength && shown.length > 0) {
      const next = offset + index
      shown.push(
        `… stopped at ${maxLength} characters, after line ${next} of ${lines.length}: read on with offset ${next}.`,
      )
      break
    }
    shown.push(text)
  }
  return { text: shown.join('\n') }
}

function partOf(line: string, column: number, length: number): string {
  const start = boundaryAt(line, Math.min(column, line.length))
  if (line.length - start <= length) return line.slice(start)
  const end = boundaryAt(line, start + length)
  return `${line.slice(start, end)}… (${line.length - end} more characters)`
}
