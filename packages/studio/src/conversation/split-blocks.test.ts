import { describe, expect, it } from 'vitest'
import { splitBlocks } from './split-blocks.ts'

describe('splitBlocks', () => {
  it.each([
    ['two paragraphs', 'one\n\ntwo', ['one\n', 'two']],
    [
      'a fence with blank lines stays whole',
      '```js\na\n\nb\n```\n\nafter',
      ['```js\na\n\nb\n```\n', 'after'],
    ],
    ['an open fence is the last block', 'before\n\n```\na\n\nb', ['before\n', '```\na\n\nb']],
    ['a loose list stays whole', '1. a\n\n2. b\n\n   more\n\nend', ['1. a\n\n2. b\n\n   more\n', 'end']],
    [
      'definitions reach everywhere',
      'see [x]\n\n[x]: https://a.b\n\nend',
      ['see [x]\n\n[x]: https://a.b\n\nend'],
    ],
  ])('%s', (_, text, blocks) => {
    expect(splitBlocks(text)).toEqual(blocks)
  })

  it('loses no character', () => {
    const text = '# a\n\n- b\n\n- c\n\n> d\n\n```\ne\n\nf\n```\n\ng\n'
    expect(splitBlocks(text).join('\n')).toBe(text)
  })
})
