import { expect, test } from 'vitest'
import { verify } from '../check/verify.ts'
import type { Envelope } from '../envelope.ts'
import { parseJsonl } from './parse-jsonl.ts'

/** Logs that version 1 of the protocol wrote, exported as they were. Never recorded again. */
async function logOf(name: string): Promise<string> {
  const path = `../../fixtures/v1/${name}.jsonl?raw`
  const module: { default: string } = await import(/* @vite-ignore */ path)
  return module.default
}

test.each(['chat-done', 'chat-compacted', 'twice-second', 'research-waiting'])(
  'a log of version 1 is read, and keeps every rule: %s',
  async (name) => {
    const text = await logOf(name)
    const envelopes: Envelope[] = []
    for await (const read of parseJsonl([text])) {
      expect(read).not.toHaveProperty('problem')
      if ('envelope' in read) envelopes.push(read.envelope)
    }
    expect(envelopes).toHaveLength(text.trim().split('\n').length)
    expect(verify(envelopes)).toEqual([])
  },
)

test('a log of a later version is refused with a sentence that says what to do', async () => {
  const [first = ''] = (await logOf('chat-done')).split('\n', 1)
  const read: unknown[] = []
  const later = first.replace('"kind":"graph"', '"kind":"graph","protocol":3')
  for await (const one of parseJsonl([later])) read.push(one)
  const problem = 'Written by version 3 of the protocol; this Clewline reads up to 2. Use a newer one.'
  expect(read).toEqual([{ line: 1, problem }])
})
