import { expect, test } from 'vitest'
import { redactSecrets } from './redact-secrets.ts'

const redact = (value: Parameters<typeof redactSecrets>[0]) =>
  redactSecrets(value, { where: 'custom', agent: null })

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'

test.each([
  ['the key sk-proj-abcdefghij0123456789 is mine', 'the key [redacted: api-key] is mine'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[redacted: api-key]'],
  ['AKIAIOSFODNN7EXAMPLE', '[redacted: api-key]'],
  [`see ${JWT}!`, 'see [redacted: jwt]!'],
  ['Authorization: Bearer abc.def-123456', 'Authorization: Bearer [redacted: bearer]'],
  ['authorization: Basic dXNlcjpwYXNzd29yZA==', 'authorization: Basic [redacted: basic]'],
  ['write to Ada.Lovelace+tea@mail.example.org.', 'write to [redacted: email].'],
  ['jürgen@bücher.example', '[redacted: email]'],
  ['pay 4111 1111 1111 1111 today', 'pay [redacted: card] today'],
  ['12 4111-1111-1111-1111', '12 [redacted: card]'],
  [
    '2024 2025 2026 2027 2028 2029 2030 2031 4111 1111 1111 1111 7',
    '2024 2025 2026 2027 2028 2029 2030 2031 [redacted: card] 7',
  ],
  ['378282246310005,5555555555554444', '[redacted: card],[redacted: card]'],
  ['postgres://app:hunter2@db/tea', 'postgres://app:[redacted: password]@db/tea'],
  ['password=hunter', 'password=[redacted: secret]'],
  ['{"password":"hunter2"}', '{"password":"[redacted: secret]"}'],
  [
    String.raw`"{\"api_key\":\"a8f5f167f44f4964e6c998de\"}"`,
    String.raw`"{\"api_key\":\"[redacted: secret]\"}"`,
  ],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----.', '[redacted: private-key].'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE', '[redacted: private-key]'],
])('%s', (text, expected) => {
  expect(redact(text)).toBe(expected)
})

test.each([
  'password: required',
  'a basic understanding of bearer bonds',
  '4111 1111 1111 1112',
  '1763236800000',
  '0d5f6b0e-6f0c-4b53-9d3a-5a4a3f1d2c11',
  'token: next',
  'task-driven risk-assessment-framework-2024',
  'a@b',
  '[redacted: email]',
])('leaves "%s" as it is', (text) => {
  expect(redact(text)).toBe(text)
})

test('fields are judged by their names, and names of fields are redacted, too', () => {
  const value = {
    password: 'tea',
    clientSecret: 'tea',
    api_key: 'a8f5f167f44f4964e6c998de',
    max_tokens: 12,
    token: 'word',
    card: 4_111_111_111_111_111,
    'ada@example.org': [{ text: 'x' }],
    schema: { properties: { password: { type: 'string' } } },
  }
  expect(redact(value)).toEqual({
    password: '[redacted: secret]',
    clientSecret: '[redacted: secret]',
    api_key: '[redacted: secret]',
    max_tokens: 12,
    token: 'word',
    card: '[redacted: card]',
    '[redacted: email]': [{ text: 'x' }],
    schema: { properties: { password: { type: 'string' } } },
  })
})

test('what holds no secret is the same object, and what does is redacted once', () => {
  const clean = { text: 'tea', list: [1, { a: null }] }
  const dirty = { text: 'ada@example.org' }
  expect(redact(clean)).toBe(clean)
  expect(redact([dirty])).toEqual([{ text: '[redacted: email]' }])
  expect(redact(dirty)).toBe(redact(dirty))
})

test('the time is linear in the length of a text', () => {
  for (const piece of ['a.', '1 ', 'eyJaaaaaaaa.', '-----BEGIN ', 'password=', 'a@a.', 'bearer ', '"\\']) {
    const begun = performance.now()
    redact(piece.repeat(200_000 / piece.length))
    expect(performance.now() - begun, piece).toBeLessThan(3_000)
  }
})
