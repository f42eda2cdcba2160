import { describe, expect, test } from 'vitest'
import { duration, tokens } from './figures.ts'
import { clean, fit, oneLine, width, wrap } from './text.ts'

describe('text', () => {
  test.each([
    ['plain', 'plain'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]8;;http://evil\u0007link\u001b]8;;\u0007', 'link'],
    ['a\tb\r\nc\u0000', 'a  b\nc'],
    ['\u202etxt.exe', 'txt.exe'],
  ])('clean(%j) is %j', (text, expected) => {
    expect(clean(text)).toBe(expected)
  })

  test('oneLine joins lines', () => {
    expect(oneLine(' a\n\n  b ')).toBe('a b')
  })

  test.each([
    ['abc', 3],
    ['漢字', 4],
    ['😀', 2],
    ['e\u0301', 1],
  ])('width(%j) is %i', (text, columns) => {
    expect(width(text)).toBe(columns)
  })

  test.each([
    ['hello', 5, 'hello'],
    ['hello', 4, 'hel…'],
    ['漢字漢字', 4, '漢…'],
    ['hello', 0, ''],
  ])('fit(%j, %i) is %j', (text, columns, expected) => {
    expect(fit(text, columns)).toBe(expected)
  })

  test.each<[string, number, string[]]>([
    ['one two three', 8, ['one two', 'three']],
    ['a\n\nb', 8, ['a', '', 'b']],
    ['abcdefghijkl', 8, ['abcdefgh', 'ijkl']],
    ['漢字漢字漢字', 8, ['漢字漢字', '漢字']],
  ])('wrap(%j, %i) is %j', (text, columns, expected) => {
    expect(wrap(text, columns)).toEqual(expected)
  })
})

test.each([
  [0.04, '0.0s'],
  [9.94, '9.9s'],
  [59.6, '1m 00s'],
  [65, '1m 05s'],
  [3725, '1h 02m'],
])('duration(%d) is %s', (seconds, expected) => {
  expect(duration(seconds)).toBe(expected)
})

test('tokens that are unknown are not zero', () => {
  expect(tokens({})).toBe('')
  expect(tokens({ output_tokens: 5 })).toBe('?→5')
})
