import { diffLines as compare } from 'diff'
import { changedWords, type Piece } from './changed-words.ts'

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'skipped'
  readonly text: string
  /** Line numbers, where the line exists. */
  readonly before: number | null
  readonly after: number | null
  /** The words that changed, where a line was changed and not replaced. */
  readonly pieces?: readonly Piece[]
}

const CONTEXT = 3

/** A unified diff as lines: changes with three lines around them, the rest skipped. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const all: DiffLine[] = []
  let left = 1
  let right = 1
  for (const part of compare(before, after)) {
    const kind = part.added ? 'added' : part.removed ? 'removed' : 'same'
    const texts = part.value.split('\n')
    if (texts.at(-1) === '') texts.pop()
    for (const text of texts) {
      all.push({
        kind,
        text,
        before: kind === 'added' ? null : left,
        after: kind === 'removed' ? null : right,
      })
      if (kind !== 'added') left++
      if (kind !== 'removed') right++
    }
  }
  return fold(withWords(all))
}

/** Lines that were removed and added in the same place are versions of each other, one by one. */
function withWords(all: readonly DiffLine[]): readonly DiffLine[] {
  const lines = [...all]
  let start = 0
  while (start < lines.length) {
    let added = start
    while (lines[added]?.kind === 'removed') added++
    for (let at = start; at < added; at++) {
      const [old, now] = [lines[at], lines[at - start + added]]
      if (old === undefined || now?.kind !== 'added') break
      const words = changedWords(old.text, now.text)
      if (words === null) continue
      lines[at] = { ...old, pieces: words.before }
      lines[at - start + added] = { ...now, pieces: words.after }
    }
    start = added + 1
  }
  return lines
}

function fold(all: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = all.map(() => false)
  for (const [index, { kind }] of all.entries()) {
    if (kind === 'same') continue
    isNear.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1)
  }
  const lines: DiffLine[] = []
  let skipped = 0
  for (const [index, line] of all.entries()) {
    if (isNear[index]) {
      if (skipped > 0) lines.push(gap(skipped))
      skipped = 0
      lines.push(line)
    } else skipped++
  }
  if (skipped > 0 && lines.length > 0) lines.push(gap(skipped))
  return lines
}

function gap(count: number): DiffLine {
  return {
    kind: 'skipped',
    text: `${count} unchanged ${count === 1 ? 'line' : 'lines'}`,
    before: null,
    after: null,
  }
}
