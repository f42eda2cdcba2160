import { expect, it } from 'vitest'
import { cutText } from './cut-text.ts'

it.each([
  ['short', 10, 'short'],
  ['longer', 4, 'long'],
  ['ab👩cd', 3, 'ab'],
  ['ab👩cd', 4, 'ab👩'],
  ['👩', 1, ''],
  ['', 3, ''],
])('cuts %j at %i to %j', (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut)
})
