import { verify } from '@clewline/core/check'
import { afterEach, expect, test } from 'vitest'
import { createClewline } from './create-clewline.ts'
import { serve, type Serving } from './serve.ts'
import { chatGraph, userSays } from './testing/chat-graph.ts'
import { eventsUntil, isRootEnd } from './testing/read-events.ts'

let serving: Serving | undefined
afterEach(async () => serving?.close())

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

test('a run that was posted is seen by a reader, token by token, over real HTTP', async () => {
  const clewline = await createClewline({
    agents: { chat: chatGraph([{ text: 'one two three' }]) },
    store: ':memory:',
  })
  serving = await serve(clewline, { port: 0 })
  const created = await post(`${serving.url}/api/threads`, { thread_id: 't1' })
  expect(created.status).toBe(201)
  const posted = await post(`${serving.url}/api/threads/t1/runs`, { agent: 'chat', input: userSays('count') })
  expect(posted.status).toBe(202)
  const entries = await eventsUntil(`${serving.url}/api/threads/t1/events?profile=debug`, isRootEnd)
  expect(entries.map(({ position }) => position)).toEqual(entries.map((_, i) => i + 1))
  const tokens = entries.flatMap(({ envelope }) =>
    envelope.type === 'llm_token' ? envelope.payload.text : [],
  )
  expect(tokens.join('')).toBe('one two three')
  expect(verify(entries.map(({ envelope }) => envelope))).toEqual([])
})
