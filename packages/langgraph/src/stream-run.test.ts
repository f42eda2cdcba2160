import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { type Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import type { Source } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { approve, loopGraph, nestedGraph, search } from './testing/graphs.ts'
import { fromGraph, streamRun } from './index.ts'
import { story } from './testing/index.ts'

const input = { messages: [{ role: 'user', content: 'hi' }] }

describe('streamRun', () => {
  test('gives the envelopes of a run as they come, then its outcome', async () => {
    const run = streamRun(fromGraph(nestedGraph()), { input })
    const envelopes: Envelope[] = []
    let step = await run.next()
    for (; step.done !== true; step = await run.next()) envelopes.push(step.value)
    expect(step.value).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toContain('says "deep thought"')
  })

  test('makes the run wait for a slow reader', async () => {
    let spoken = 0
    let read = 0
    let ahead = 0
    const counter = BaseCallbackHandler.fromMethods({
      handleLLMNewToken() {
        spoken += 1
      },
    })
    const graph = nestedGraph([{ text: Array.from({ length: 400 }, (_, i) => `w${i} `) }])
    const source = fromGraph(graph, { config: { callbacks: [counter] } })
    for await (const { type } of streamRun(source, { input })) {
      if (type !== 'llm_token') continue
      read += 1
      ahead = Math.max(ahead, spoken - read)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(read).toBe(400)
    expect(ahead).toBeLessThan(100)
  })

  test('cancels the run when its reader leaves', async () => {
    let spoken = 0
    const counter = BaseCallbackHandler.fromMethods({
      handleLLMNewToken() {
        spoken += 1
      },
    })
    const graph = nestedGraph([{ text: Array.from({ length: 1000 }, () => 'x '), delayMs: 5 }])
    const source = fromGraph(graph, { config: { callbacks: [counter] } })
    for await (const { type } of streamRun(source, { input })) if (type === 'llm_token') break
    expect(spoken).toBeLessThan(500)
  })

  test('fails when the source does, after all that it said was read', async () => {
    const source: Source = {
      name: 'broken',
      describe: () => ({ name: 'broken' }),
      async run(_request, context) {
        const payload = { tool_name: 'broken', kind: 'graph', input: {} } as const
        await context.emit({ type: 'tool_start', path: [], agent: 'broken', payload })
        throw new Error('the store is gone')
      },
    }
    const read: string[] = []
    const reading = async () => {
      for await (const { type } of streamRun(source, { input })) {
        // The source fails while its reader is busy.
        await new Promise((resolve) => setImmediate(resolve))
        read.push(type)
      }
    }
    await expect(reading()).rejects.toThrow('the store is gone')
    expect(read).toEqual(['tool_start'])
  })

  test('goes on after an interrupt with the envelopes that were there', async () => {
    const script = [{ toolCalls: [{ id: 'a', name: 'approve', args: { q: 'x' } }] }, { text: 'done' }]
    const source = fromGraph(loopGraph(script, [approve]))
    const thread_id = 'paused'
    const history: Envelope[] = []
    for await (const envelope of streamRun(source, { input }, { thread_id })) history.push(envelope)
    const answers = [{ value: 'yes' }]
    for await (const envelope of streamRun(
      source,
      { kind: 'resume', answers },
      { thread_id, history: [...history] },
    ))
      history.push(envelope)
    expect(verify(history)).toEqual([])
    expect(story(history)).toContain('main/approve: ends ok "they said \\"yes\\""')
  })

  test('recovers a run from the envelopes that were read of it, as the same run', async () => {
    const script = [{ toolCalls: [{ id: 's', name: 'search', args: { q: 'x' } }] }, { text: 'done' }]
    const source = fromGraph(loopGraph(script, [search]))
    const thread_id = 'died'
    const history: Envelope[] = []
    for await (const envelope of streamRun(source, { input }, { thread_id })) {
      history.push(envelope)
      if (envelope.type === 'tool_start' && envelope.payload.tool_name === 'search') break
    }
    const recovered: Envelope[] = []
    for await (const envelope of streamRun(source, { kind: 'recover' }, { thread_id, history }))
      recovered.push(envelope)
    expect(verify([...history, ...recovered])).toEqual([])
    expect(new Set([...history, ...recovered].map(({ run_id }) => run_id)).size).toBe(1)
    expect(recovered.at(-1)?.payload).toMatchObject({ status: 'ok' })
  })
})
