import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJsonl, readJsonl, type Chunks } from './parse-jsonl.ts'

const envelope = {
  type: 'warning',
  ts: 1,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: null,
  seq: 1,
  origin: 'live',
  agent: 'a',
  payload: { code: 'x', message: 'grüß 😀' },
}
const line = JSON.stringify(envelope)

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

test('bad lines are named and the others are still read', async () => {
  const text = `\uFEFF${line}\r\n\n{"type":\n{"type":"nope"}\n${line}`
  expect(await all(parseJsonl([text]))).toEqual([
    { line: 1, envelope },
    { line: 3, problem: expect.stringMatching(/^Not JSON: /) },
    { line: 4, problem: expect.stringContaining('"nope" is no type') },
    { line: 5, envelope },
  ])
})

test('where the text is cut into pieces makes no difference', async () => {
  const values = fc.array(fc.jsonValue(), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(values, fc.array(fc.nat({ max: 40 }), { maxLength: 20 }), async (values, sizes) => {
      let text = values.map((value) => JSON.stringify(value)).join('\n')
      const chunks: string[] = []
      for (const size of sizes) {
        chunks.push(text.slice(0, size))
        text = text.slice(size)
      }
      chunks.push(text)
      const read = await all(readJsonl(chunks satisfies Chunks))
      expect(read.map((item) => ('value' in item ? item.value : item))).toEqual(
        JSON.parse(JSON.stringify(values)),
      )
    }),
  )
})

test('a long line in many pieces is read in good time', async () => {
  async function* pieces(): AsyncGenerator<string> {
    yield '"'
    for (let i = 0; i < 20_000; i++) yield 'x'.repeat(1000)
    yield '"'
  }
  const [read] = await all(readJsonl(pieces()))
  expect(read).toMatchObject({ line: 1 })
})

test('a line that no string could hold is named and passed over', async () => {
  const megabyte = 'x'.repeat(2 ** 20)
  function* pieces(): Generator<string> {
    for (let i = 0; i < 600; i++) yield megabyte
    yield `\n${line}`
  }
  expect(await all(parseJsonl(pieces()))).toEqual([
    { line: 1, problem: 'Longer than 134217728 characters.' },
    { line: 2, envelope },
  ])
})
