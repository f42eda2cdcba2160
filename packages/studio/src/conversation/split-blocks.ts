const FENCE = /^ {0,3}(`{3,}|~{3,})/
const CONTINUES = /^(\s|[-*+] |\d+[.)] |>|\|)/
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m

/**
 * Markdown cut at blank lines into pieces that render alone, so that only the last is parsed again while text streams
 * in. Lists, quotes, tables and fences stay whole; text with link definitions is not cut, because they reach everywhere.
 */
export function splitBlocks(text: string): readonly string[] {
  if (DEFINITION.test(text)) return [text]
  const blocks: string[] = []
  let block: string[] = []
  let fence = ''
  let isAfterBlank = false
  for (const line of text.split('\n')) {
    const marker = FENCE.exec(line)?.[1]
    if (fence === '' && isAfterBlank && line.trim() !== '' && !CONTINUES.test(line)) {
      blocks.push(block.join('\n'))
      block = []
    }
    if (marker !== undefined) {
      if (fence === '') fence = marker
      else if (marker.startsWith(fence)) fence = ''
    }
    block.push(line)
    isAfterBlank = fence === '' && line.trim() === ''
  }
  blocks.push(block.join('\n'))
  return blocks
}
