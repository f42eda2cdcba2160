import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holdBack } from './hold-back.ts'
import { withoutSecrets } from './secret-patterns.ts'

const SECRETS = [
  'ada@example.org',
  'sk-proj-abcdefghij0123456789',
  '4111 1111 1111 1111',
  'Bearer abcdefgh12345678',
  '"password":"hunter2-and-more"',
  `eyJhbGciOiJIUzI1NiJ9.${'a1B2'.repeat(300)}.c2ln`,
  `-----BEGIN PRIVATE KEY-----\n${'MIIEvQ\n'.repeat(200)}-----END PRIVATE KEY-----`,
]

function released(pieces: readonly string[]): string[] {
  const hold = holdBack(withoutSecrets)
  return [...pieces.map((piece) => hold.push(piece)), hold.end()]
}

test('however a text is split, what is released is what the whole text redacted is', () => {
  const word = fc.oneof(
    fc.constantFrom(...SECRETS),
    fc.constantFrom('tea', 'and', '茶は古い', 'x'.repeat(90), '\n', '{"a":', '"🙂"'),
  )
  const splits = fc.infiniteStream(fc.integer({ min: 1, max: 12 }))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), splits, (words, sizes) => {
      const text = words.join(' ')
      const pieces: string[] = []
      for (let at = 0; at < text.length;) {
        const size = sizes.next().value ?? 1
        pieces.push(text.slice(at, at + size))
        at += size
      }
      expect(released(pieces).join('')).toBe(withoutSecrets(text))
    }),
    { numRuns: 200 },
  )
})

test('ordinary text is released about 64 characters behind, also in a script without spaces', () => {
  for (const text of ['the tea is hot and '.repeat(200), '茶は古い飲み物です。'.repeat(300)]) {
    const hold = holdBack(withoutSecrets)
    let behind = 0
    let most = 0
    for (const character of text) {
      behind += character.length - hold.push(character).length
      most = Math.max(most, behind)
    }
    expect(most).toBeLessThan(100)
  }
})

test('a stretch that cannot be cut is bounded: it is not recorded, and nothing of the stream after it', () => {
  const out = released([...Array<string>(2000).fill('abcdefghij'), ' tea ', 'x'.repeat(100)])
  expect(out.join('')).toBe('[redacted: too-long]')
})

test('a function that throws for a text releases nothing of it', () => {
  const hold = holdBack(() => '[redacted: error]')
  expect(hold.push('tea '.repeat(50))).toBe('')
  expect(hold.end()).toBe('[redacted: error]')
})
