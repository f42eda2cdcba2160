import type { Envelope } from '@skein/core'
import { expect, test } from 'vitest'
import { chatGraph } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

const token = (seq: number): Envelope => ({
  type: 'llm_token',
  ts: 1_763_236_287.5 + seq / 1000,
  trace_id: 'c0ffee00-0000-4000-8000-000000000000',
  run_id: 'c0ffee00-0000-4000-8000-000000000001',
  call_id: 'c0ffee00-0000-4000-8000-000000000002',
  parent_id: null,
  seq,
  origin: 'live',
  agent: 'chat',
  payload: { text: ` word${seq}` },
})

test.each(['debug', 'user'])(
  'coming back to position 99,000 of 100,000 (%s) costs 20 ms more than a fresh connection at most',
  async (profile) => {
    const { skein, url } = await startService({ agents: { chat: chatGraph() } })
    for (const thread_id of ['long', 'short']) await skein.threads.create({ thread_id })
    await skein.log.append(
      'long',
      Array.from({ length: 100_000 }, (_, i) => token(i + 1)),
    )
    await skein.log.append('short', [token(1)])
    const firstEvent = async (path: string): Promise<number> => {
      const started = performance.now()
      const response = await fetch(`${url}/api/threads/${path}`)
      let text = ''
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        if (text.includes('\ndata: ')) break
      }
      return performance.now() - started
    }
    const middle = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    const fresh: number[] = []
    const resumed: number[] = []
    for (let i = 0; i < 15; i++) {
      fresh.push(await firstEvent(`short/events?profile=${profile}`))
      resumed.push(await firstEvent(`long/events?profile=${profile}&after=99000`))
    }
    expect(middle(resumed) - middle(fresh)).toBeLessThan(20)
  },
)
