import { expect, test } from 'vitest'
import { skipReplayed } from './skip-replayed.ts'
import type { Chunk } from './skip-replayed.ts'

const at = (ns: string): Chunk => ({ event: 'events', data: { metadata: { langgraph_checkpoint_ns: ns } } })
const message = (ns: string): Chunk => ({ event: 'messages', data: [{}, { langgraph_checkpoint_ns: ns }] })
const values: Chunk = { event: 'values', data: {} }
const error: Chunk = { event: 'error', data: {} }

test.each<[string, Chunk[], readonly string[] | null, number[]]>([
  ['all of a run that had not begun', [values, at('a:1'), at('a:2')], null, [0, 1, 2]],
  [
    'what comes from a pending task on',
    [values, at('a:1'), at('b:2|c:9'), values, at('a:1')],
    ['2'],
    [2, 3, 4],
  ],
  ['message tuples too', [message('a:1'), message('b:2')], ['2'], [1]],
  ['nothing when nothing was pending, but errors', [values, at('a:1'), error], [], [2]],
])('lets through %s', async (_name, chunks, pending, expected) => {
  async function* stream(): AsyncGenerator<Chunk> {
    yield* chunks
  }
  const passed: number[] = []
  for await (const chunk of skipReplayed(stream(), pending === null ? null : new Set(pending)))
    passed.push(chunks.indexOf(chunk))
  expect(passed).toEqual(expected.map((index) => chunks.indexOf(chunks[index] ?? values)))
})
