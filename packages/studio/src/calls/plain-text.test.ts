import { expect, it } from 'vitest'
import { plainText } from './plain-text.ts'

it.each([
  ['## Plan\n\nUse `emit`, **now**.', 'Plan Use emit, now.'],
  ['_See_ notes_1_a.md', 'See notes_1_a.md'],
  ['> quoted\n> twice', 'quoted twice'],
  ['issue #3 is > 2', 'issue #3 is > 2'],
])('says %j in plain words', (markdown, words) => {
  expect(plainText(markdown)).toBe(words)
})
