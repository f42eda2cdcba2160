import { expect, it } from 'vitest'
import { numberLines } from './number-lines.ts'

it.each([
  ['one\ntwo', 0, 2000, '     1\tone\n     2\ttwo'],
  ['one\ntwo\n', 0, 2000, '     1\tone\n     2\ttwo'],
  ['one\r\ntwo', 0, 2000, '     1\tone\n     2\ttwo'],
  ['a\nb\nc\nd', 1, 2, '     2\tb\n     3\tc'],
  ['\n', 0, 2000, '     1\t'],
  ['', 0, 2000, 'The file exists but is empty.'],
])('prints %j from %i, at most %i lines', (content, offset, limit, text) => {
  expect(numberLines(content, offset, limit)).toEqual({ text })
})

it('says that the offset is past the end', () => {
  expect(numberLines('one\ntwo', 2, 10)).toEqual({
    text: 'Offset 2 is past the end: the file has 2 lines.',
    failed: true,
  })
})

it('cuts a long line and says how much is missing', () => {
  const { text } = numberLines('x'.repeat(2500), 0, 1)
  expect(text).toBe(`     1\t${'x'.repeat(2000)}… (500 more characters)`)
})
