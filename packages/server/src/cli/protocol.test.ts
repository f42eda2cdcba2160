import { readFile } from 'node:fs/promises'
import { partHash } from '@clewline/core/parts'
import { parseEnvelope } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import { type Envelope } from '@clewline/core'
import { expect, test } from 'vitest'

const page = await readFile(new URL('../../../../PROTOCOL.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp('```' + language + '\\n([^]*?)```', 'g'))].map(([, text]) => text ?? '')

function envelopeOf(text: string): Envelope {
  const parsed = parseEnvelope(JSON.parse(text))
  if ('problem' in parsed) throw new Error(parsed.problem)
  return parsed.envelope
}

const whole = blocks('jsonl').flatMap((block) => block.trim().split('\n').map(envelopeOf))
const [parts, examples] = [
  blocks('json').filter(isPart),
  blocks('json')
    .filter((text) => !isPart(text))
    .map(envelopeOf),
]

function isPart(text: string): boolean {
  return 'part' in JSON.parse(text)
}

test('the whole run in PROTOCOL.md keeps every rule and has all ten types', () => {
  expect(verify(whole)).toEqual([])
  expect(new Set(whole.map(({ type }) => type)).size).toBe(10)
})

test('PROTOCOL.md has an example of each type, and each is a line of the whole run', () => {
  expect(new Set(examples.map(({ type }) => type)).size).toBe(10)
  for (const example of examples) expect(whole).toContainEqual(example)
})

test('the name of the part in PROTOCOL.md is the hash of its value', () => {
  const [{ part, value }] = parts.map((text) => JSON.parse(text))
  expect(partHash(JSON.stringify(value))).toBe(part)
})
