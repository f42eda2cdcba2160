import { expect, it } from 'vitest'
import { tellApart } from './tell-apart.ts'

it.each([
  [
    ['Research this: The case for SQLite', 'Research this: The case for Postgres'],
    ['The case for SQLite', 'The case for Postgres'],
  ],
  [
    ['Part 1', 'Part 12'],
    ['1', '12'],
  ],
  [
    ['Write tests', 'Wrap up'],
    ['Write tests', 'Wrap up'],
  ],
  [
    ['Go on', 'Go on'],
    ['Go on', 'Go on'],
  ],
  [['Alone'], ['Alone']],
  [[], []],
])('tells %j apart', (texts, told) => {
  expect(tellApart(texts)).toEqual(told)
})
