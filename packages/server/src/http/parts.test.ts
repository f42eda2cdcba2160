import { type Client, createClient, type FollowOptions } from '@clewline/client'
import type { Entry, RawMessage } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { parseJsonl } from '@clewline/core/read'
import type { Source } from '@clewline/core/source'
import { expect, test } from 'vitest'
import { type Service, startService } from '../testing/start-service.ts'

const messages: RawMessage[] = Array.from({ length: 40 }, (_, i) => ({
  type: i % 2 === 0 ? 'human' : 'ai',
  content: `${i} `.repeat(200),
}))
const CALLS = 10

/** Asks its model ten times, each time with more of one conversation. */
const asking: Source = {
  name: 'asking',
  describe: () => ({ name: 'asking' }),
  async run(_request, context) {
    const root = { path: [], agent: 'asking' }
    await context.emit({
      ...root,
      type: 'tool_start',
      payload: { tool_name: 'asking', kind: 'graph', input: {} },
    })
    for (let n = 1; n <= CALLS; n++) {
      const call = { path: [`${n}`], agent: 'asking' }
      const input = { messages: messages.slice(0, 4 * n) }
      const raw = messages[4 * n - 1]!
      const message = { id: `m${n}`, text: 'ok', tool_calls: [] }
      await context.emit({ ...call, type: 'llm_start', payload: { model: 'm', params: {}, input } })
      await context.emit({ ...call, type: 'llm_token', payload: { text: 'ok' } })
      await context.emit({
        ...call,
        type: 'llm_end',
        payload: { usage: {}, finish_reason: 'stop', message, raw },
      })
    }
    const result = { messages: [], files: {}, usage: {}, output: { messages, answer: 42 } }
    await context.emit({ ...root, type: 'tool_end', payload: { tool_name: 'asking', result, status: 'ok' } })
    return { status: 'success' }
  },
}

async function withRun(): Promise<{ service: Service; client: Client }> {
  const service = await startService({ agents: { asking } })
  const client = createClient({ url: service.url })
  await client.threads.create({ thread_id: 't' })
  await client.runs.create('t', { agent: 'asking', input: {}, run_id: 'r' })
  await expect.poll(async () => (await client.runs.get('t', 'r')).status).toBe('success')
  return { service, client }
}

async function read(client: Client, options: FollowOptions, thread = 't'): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const batch of client.read(thread, options)) entries.push(...batch)
  return entries
}

const asked = (entries: readonly Entry[]): unknown[] =>
  entries.flatMap(({ envelope }) => (envelope.type === 'llm_start' ? [envelope.payload.input?.messages] : []))

const wanted = Array.from({ length: CALLS }, (_, n) => messages.slice(0, 4 * (n + 1)))

test('a debug reader has what every model call was sent, wherever it joins', async () => {
  const { client } = await withRun()
  const all = await read(client, { profile: 'debug' })
  expect(asked(all)).toEqual(wanted)
  expect(verify(all.map(({ envelope }) => envelope))).toEqual([])
  for (let after = 1; after < all.length; after += 5)
    expect(await read(client, { profile: 'debug', after })).toEqual(all.slice(after))
})

test('profile user leaves inputs, raw answers and repeated conversations out unless asked for inputs', async () => {
  const { client } = await withRun()
  const short = await read(client, {})
  expect(asked(short)).toEqual(Array(CALLS).fill(undefined))
  expect(short.some(({ envelope }) => 'raw' in envelope.payload)).toBe(false)
  expect(short.at(-1)?.envelope.payload).toMatchObject({ result: { output: { answer: 42 } } })
  expect(JSON.stringify(short)).not.toContain(messages[0]!.content)
  const whole = await read(client, { inputs: true })
  expect(asked(whole)).toEqual(wanted)
  expect(await read(client, { inputs: true, after: 20 })).toEqual(
    (await read(client, { profile: 'debug' })).slice(20),
  )
})

test('an export is whole, a copy of it reads the same, and a part that was changed is refused', async () => {
  const { service, client } = await withRun()
  const text = await (await client.threads.export('t')).text()
  const problems: string[] = []
  for await (const line of parseJsonl([text])) if ('problem' in line) problems.push(line.problem)
  expect(problems).toEqual([])
  await client.threads.import(text, { thread_id: 'copy' })
  expect(asked(await read(client, { profile: 'debug' }, 'copy'))).toEqual(wanted)
  const forged = text.replace('0 0 0 0', '0 0 0 1')
  const reply = await service.call('POST', '/api/threads/import', forged, {
    'content-type': 'application/x-ndjson',
  })
  expect([reply.status, JSON.stringify(reply.body)]).toEqual([400, expect.stringContaining('hash of part')])
})

test('parts are those of the thread that was asked for, and of its owner', async () => {
  const service = await startService({
    agents: { asking },
    authenticate: (request) => ({ id: request.headers.get('authorization') ?? 'nobody' }),
  })
  const ada = createClient({ url: service.url, token: 'ada' })
  await ada.threads.create({ thread_id: 't' })
  await ada.runs.create('t', { agent: 'asking', input: {}, run_id: 'r' })
  await expect.poll(async () => (await ada.runs.get('t', 'r')).status).toBe('success')
  expect(asked(await read(ada, { profile: 'debug', after: 20 }))).not.toEqual([])
  const text = await (await ada.threads.export('t')).text()
  const [name] = /(?<="part":")[\w-]{43}/.exec(text)!
  const get = (token: string, path: string) =>
    service.call('GET', `/api/threads/t/parts${path}`, undefined, { authorization: `Bearer ${token}` })
  expect((await get('ada', `/${name}`)).body).toMatchObject({ part: name })
  expect((await get('ada', `?names=${name}`)).body).toMatchObject({ parts: [{ part: name }] })
  expect((await get('bob', `/${name}`)).status).toBe(404)
  expect((await get('bob', `?names=${name}`)).status).toBe(404)
  expect((await get('ada', `/${'x'.repeat(43)}`)).status).toBe(404)
  expect((await get('ada', '/short')).status).toBe(400)
  expect((await get('ada', '?names=')).status).toBe(400)
})
