import { expect, it } from 'vitest'
import { changedWords, type Piece } from './changed-words.ts'

const marked = (pieces: readonly Piece[] | undefined): string | undefined =>
  pieces?.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')

it.each([
  ['one two three', 'one 2 three', 'one [two] three', 'one [2] three'],
  ['the end', 'the very end', 'the end', 'the [very ]end'],
])('marks what changed between %j and %j', (before, after, left, right) => {
  const words = changedWords(before, after)
  expect([marked(words?.before), marked(words?.after)]).toEqual([left, right])
})

it.each([
  ['a line that was replaced', 'alpha beta gamma', 'something else entirely'],
  ['a line that is very long', 'word '.repeat(600), 'word '.repeat(601)],
])('marks nothing in %s', (_, before, after) => {
  expect(changedWords(before, after)).toBeNull()
})
