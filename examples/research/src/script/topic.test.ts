import { describe, expect, it } from 'vitest'
import { phrasesOf, readTopic } from './topic.ts'

it.each([
  ['How do heat pumps work in cold climates?', ['heat pumps', 'cold climates']],
  ['Please research the history of tea. And coffee!', ['history', 'tea', 'coffee']],
  [
    'Whether remote work makes software teams more productive',
    ['remote work', 'software teams', 'productive'],
  ],
  ['What is C++?', ['C++']],
  ['Hi! How are you?', []],
  ['tea, Tea and TEA', ['tea']],
])('finds the words that carry the meaning of %j', (text, phrases) => {
  expect(phrasesOf(text)).toEqual(phrases)
})

describe('readTopic', () => {
  it('finds the parts of a question', () => {
    expect(readTopic('How do heat pumps work in cold climates?')?.angles.map((angle) => angle.title)).toEqual(
      ['Foundations of heat pumps', 'Evidence on cold climates', 'Limits of heat pumps and cold climates'],
    )
  })

  it.each([
    'Compare Postgres and SQLite for a small team',
    'What is the difference between Postgres and SQLite?',
    'Postgres vs SQLite',
    'Is Postgres versus SQLite a real choice?',
    'Postgres or SQLite for an event log?',
    'Should we use Postgres or SQLite?',
  ])('finds two sides in %j', (question) => {
    expect(
      readTopic(question)
        ?.angles.slice(0, 2)
        .map((angle) => angle.focus),
    ).toEqual(['Postgres', 'SQLite'])
  })

  it('is content with two parts when there is one thing', () => {
    expect(readTopic('What is Rust?')?.angles).toHaveLength(2)
  })

  it('gives names to files that a flat workspace takes', () => {
    for (const angle of readTopic('Are ../../etc/passwd and C:\\x safe?')?.angles ?? []) {
      expect(angle.file).toMatch(/^notes_\d(_[\p{L}\p{N}-]+)?\.md$/u)
    }
  })
})
