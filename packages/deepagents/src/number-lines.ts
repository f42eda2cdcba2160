const MAX_LINE_LENGTH = 2000

/** Text as `cat -n` prints it: a number in six columns, a tab, the line. Long lines are cut and say so. */
export function numberLines(
  content: string,
  offset: number,
  limit: number,
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
  const shown = lines.slice(offset, offset + limit).map((line, index) => {
    const number = String(offset + index + 1).padStart(6)
    const cut = line.length - MAX_LINE_LENGTH
    return cut > 0
      ? `${number}\t${line.slice(0, MAX_LINE_LENGTH)}… (${cut} more characters)`
      : `${number}\t${line}`
  })
  return { text: shown.join('\n') }
}
