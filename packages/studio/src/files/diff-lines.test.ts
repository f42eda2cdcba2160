import { describe, expect, it } from 'vitest'
import { diffLines } from './diff-lines.ts'

const shape = (before: string, after: string): string[] =>
  diffLines(before, after).map(
    ({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', skipped: '@' }[kind]}${text}`,
  )

describe('diffLines', () => {
  it('numbers both sides', () => {
    expect(diffLines('a\nb\n', 'a\nc\n')).toEqual([
      { kind: 'same', text: 'a', before: 1, after: 1 },
      { kind: 'removed', text: 'b', before: 2, after: null },
      { kind: 'added', text: 'c', before: null, after: 2 },
    ])
  })

  it('keeps three lines around a change and skips the rest', () => {
    const lines = Array.from({ length: 20 }, (_, index) => String(index))
    const before = lines.join('\n')
    expect(shape(before, lines.with(10, 'x').join('\n'))).toEqual([
      '@7 unchanged lines',
      ' 7',
      ' 8',
      ' 9',
      '-10',
      '+x',
      ' 11',
      ' 12',
      ' 13',
      '@6 unchanged lines',
    ])
  })

  it('is empty for the same text', () => {
    expect(diffLines('a\nb', 'a\nb')).toEqual([])
  })

  it('marks the words that changed, line by line', () => {
    const marks = diffLines(
      'keep\none old line\ntwo old lines\n',
      'keep\none new line\ntwo new lines\nmore\n',
    ).map(({ kind, pieces }) => [kind, pieces?.filter(({ isChanged }) => isChanged).map(({ text }) => text)])
    expect(marks).toEqual([
      ['same', undefined],
      ['removed', ['old']],
      ['removed', ['old']],
      ['added', ['new']],
      ['added', ['new']],
      ['added', undefined],
    ])
  })

  it('shows a new file whole', () => {
    expect(shape('', 'a\nb\n')).toEqual(['+a', '+b'])
  })
})
