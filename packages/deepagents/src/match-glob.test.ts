import { expect, it } from 'vitest'
import { matchGlob } from './match-glob.ts'

it.each([
  ['*.md', 'a.md', true],
  ['*.md', 'a.txt', false],
  ['*', '', true],
  ['notes_?.md', 'notes_1.md', true],
  ['notes_?.md', 'notes_12.md', false],
  ['{a,b}.md', 'b.md', true],
  ['{a,b}.md', 'c.md', false],
  ['{a,{b,c}}*', 'cx', true],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'a1b2', false],
  ['[a].md', '[a].md', true],
  ['[ab].md', 'b.md', true],
  ['[ab].md', 'c.md', false],
  ['[!ab].md', 'c.md', true],
  ['v[0-9].md', 'v7.md', true],
  ['v[0-9].md', 'vx.md', false],
  ['[ab', '[ab', true],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'a.txt', false],
  ['**', 'a.md', true],
  ['?.md', '👩.md', true],
])('%j on %j is %s', (pattern, name, matches) => {
  expect(matchGlob(pattern, name)).toBe(matches)
})

it('answers at once to a pattern that would make a regular expression backtrack', () => {
  const started = performance.now()
  expect(matchGlob('*a'.repeat(60) + 'b', 'a'.repeat(200))).toBe(false)
  expect(performance.now() - started).toBeLessThan(500)
})
