import { describe, expect, test } from 'vitest'
import { holdBack } from './hold-back.ts'

const isTool = (json: string): boolean => json.includes('"request"')

function shown(text: string, pieceLength: number): string {
  const filter = holdBack(isTool)
  let out = ''
  for (let i = 0; i < text.length; i += pieceLength) out += filter.push(text.slice(i, i + pieceLength))
  return out + filter.end()
}

describe('tool JSON never reaches the text stream, however it is cut', () => {
  test.each([
    ['plain text', 'Hello, world', 'Hello, world'],
    ['a tool alone', '{"request": "x"}', ''],
    ['a marked tool', 'TOOL: {"request": "x"}', ''],
    ['text around it', 'I look. TOOL: {"request": "x", "q": "a } b"} Done.', 'I look.  Done.'],
    ['a fenced tool', 'Well:\n```json\n{"request": "x"}\n```\nok', 'Well:\n\nok'],
    ['other JSON', 'Send {"a": {"b": 1}} to me', 'Send {"a": {"b": 1}} to me'],
    ['a fence around code', '```ts\nconst a = 1\n```', '```ts\nconst a = 1\n```'],
    ['an open brace', 'set {a, b', 'set {a, b'],
    ['the word TOOL', 'A TOOL: is nice, TOOLs too', 'A TOOL: is nice, TOOLs too'],
    ['backticks', 'use `x` and ``y``', 'use `x` and ``y``'],
    ['two tools', '{"request": 1}{"request": 2}!', '!'],
  ])('%s', (_name, text, expected) => {
    for (let length = 1; length <= text.length; length++) expect(shown(text, length)).toBe(expected)
  })

  test('a brace that stays open for long is read once, not once a token', () => {
    const text = `Here: {"a": "${'x'.repeat(200_000)}`
    expect(shown(text, 1)).toBe(text)
  })

  test('what is left is told once', () => {
    const filter = holdBack(isTool)
    expect([filter.push('set {a'), filter.end(), filter.end()]).toEqual(['set ', '{a', ''])
  })

  test('text is let through as soon as it cannot be a tool', () => {
    const filter = holdBack(isTool)
    expect(filter.push('Hello TO')).toBe('Hello ')
    expect(filter.push('M')).toBe('TOM')
  })
})
