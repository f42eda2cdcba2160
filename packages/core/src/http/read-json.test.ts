import { expect, test } from 'vitest'
import { MAX_DEPTH, readJson, readText } from './read-json.ts'

const post = (body: BodyInit): Request => new Request('http://test', { method: 'POST', body })

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

test.each<[string, string, unknown]>([
  ['an object', '{"a":[1,"ü"]}', { a: [1, 'ü'] }],
  ['nothing, as an empty object', '  ', {}],
  ['brackets in text, which are not depth', JSON.stringify(nested(500)), nested(500)],
  ['commas in text, which are not values', JSON.stringify(','.repeat(5_000)), ','.repeat(5_000)],
  ['the deepest that may be', nested(MAX_DEPTH), JSON.parse(nested(MAX_DEPTH))],
])('reads %s', async (_name, body, value) => {
  expect(await readJson(post(body), { bytes: 10_000, items: 1_000 })).toEqual(value)
})

test.each([
  ['what is no JSON', '{', 'bad-request'],
  ['one level too many', nested(MAX_DEPTH + 1), 'bad-request'],
  ['a depth that would overflow the stack', nested(200_000), 'bad-request'],
  ['more values than the limit', `[${'1,'.repeat(1_000)}1]`, 'too-large'],
  ['more fields than the limit', `[${'{"a":1,"b":2},'.repeat(400)}1]`, 'too-large'],
  ['more bytes than the limit, though fewer characters', `"${'ü'.repeat(300_000)}"`, 'too-large'],
])('refuses %s', async (_name, body, code) => {
  await expect(readJson(post(body), { bytes: 500_000, items: 1_000 })).rejects.toMatchObject({
    code,
    hint: expect.any(String),
  })
})

test('a character that is cut by a chunk is one character', async () => {
  const bytes = new TextEncoder().encode('aüb')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.slice(0, 2))
      controller.enqueue(bytes.slice(2))
      controller.close()
    },
  })
  // Node asks for `duplex`, which its types leave out (undici-types 6).
  const init = { method: 'POST', body, duplex: 'half' }
  expect(await readText(new Request('http://test', init), 10)).toBe('aüb')
})

test('a body that breaks off is the mistake of the request, not of the server', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('aborted')),
  })
  const init = { method: 'POST', body, duplex: 'half' }
  await expect(readText(new Request('http://test', init), 10)).rejects.toMatchObject({ code: 'bad-request' })
})
