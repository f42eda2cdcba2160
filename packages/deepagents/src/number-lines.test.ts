import { expect, it } from 'vitest'
import { numberLines } from './number-lines.ts'

const maxLength = 100_000

it.each([
  ['one\ntwo', 0, 2000, '     1\tone\n     2\ttwo'],
  ['one\ntwo\n', 0, 2000, '     1\tone\n     2\ttwo'],
  ['one\r\ntwo', 0, 2000, '     1\tone\n     2\ttwo'],
  ['a\nb\nc\nd', 1, 2, '     2\tb\n     3\tc'],
  ['\n', 0, 2000, '     1\t'],
  ['', 0, 2000, 'The file exists but is empty.'],
])('prints %j from %i, at most %i lines', (content, offset, limit, text) => {
  expect(numberLines(content, { offset, limit, maxLength })).toEqual({ text })
})

it('says that the offset is past the end', () => {
  expect(numberLines('one\ntwo', { offset: 2, limit: 10, maxLength })).toEqual({
    text: 'Offset 2 is past the end: the file has 2 lines.',
    failed: true,
  })
})

it('cuts a long line and says how much is missing', () => {
  const { text } = numberLines('x'.repeat(2500), { offset: 0, limit: 1, maxLength })
  expect(text).toBe(`     1\t${'x'.repeat(2000)}… (500 more characters)`)
})

it.each([
  ['at the cut', { offset: 0, limit: 1, maxLength }],
  ['where reading goes on', { offset: 0, limit: 1, maxLength, column: 2000 }],
])('never shows half of a character (%s)', (_title, range) => {
  const { text } = numberLines(`${'x'.repeat(1999)}👩${'y'.repeat(1999)}`, range)
  // A lone surrogate cannot be encoded.
  expect(() => encodeURIComponent(text)).not.toThrow()
})

it('reads on in a long line', () => {
  const line = `${'x'.repeat(2000)}${'y'.repeat(3000)}`
  const { text } = numberLines(line, { offset: 0, limit: 1, column: 2000, maxLength })
  expect(text).toBe(`     1\t${'y'.repeat(3000)}`)
})

it('stops at a number of characters and says where to read on', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
  const { text } = numberLines(lines.join('\n'), { offset: 10, limit: 2000, maxLength: 100 })
  expect(text.split('\n').at(0)).toBe('    11\tline 10')
  expect(text.split('\n').at(-1)).toBe(
    '… stopped at 100 characters, after line 16 of 100: read on with offset 16.',
  )
  expect(text.length).toBeLessThan(200)
})
