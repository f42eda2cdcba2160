import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Change, type Client, type ConnectionStatus, createClient, createIntake } from '@clewline/client'
import type { Entry } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { PROFILES } from '@clewline/core/read'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline } from '../create-clewline.ts'
import { serve } from '../serve.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { cuttingProxy } from '../testing/cutting-proxy.ts'
import { isRootEnd } from '../testing/read-events.ts'
import { type Service, startService } from '../testing/start-service.ts'

const words = Array.from({ length: 150 }, (_, i) => `w${i} `)
const HUGE = 3 * 1024 * 1024
const agents = {
  chat: chatGraph([{ text: words }]),
  paced: chatGraph([{ text: words, delayMs: 10 }]),
  huge: chatGraph([{ text: ['x'.repeat(HUGE)] }]),
}

async function withThread(): Promise<{ service: Service; client: Client }> {
  const service = await startService({ agents })
  const client = createClient({ url: service.url })
  await client.threads.create({ thread_id: 't' })
  return { service, client }
}

const start = (client: Client, agent: keyof typeof agents) =>
  client.runs.create('t', { agent, input: userSays('go') })

/** Collects until the run is over; `each` sees every batch. */
async function untilEnd(
  stream: AsyncIterable<readonly Entry[]>,
  each: (batch: readonly Entry[]) => unknown = () => undefined,
): Promise<Entry[]> {
  const got: Entry[] = []
  for await (const batch of stream) {
    got.push(...batch)
    if (got.some(isRootEnd)) break
    await each(batch)
  }
  return got
}

const textOf = (entries: readonly Entry[]): string =>
  entries.flatMap(({ envelope }) => (envelope.type === 'llm_token' ? envelope.payload.text : [])).join('')

async function logOf(client: Client): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const batch of client.read('t', { profile: 'debug' })) entries.push(...batch)
  return entries
}

test.each(PROFILES)(
  'a follower whose connection is reset again and again has it all once: %s',
  async (profile) => {
    const { service, client } = await withThread()
    const proxy = await cuttingProxy(service.url)
    const intake = createIntake()
    const statuses: ConnectionStatus['type'][] = []
    let received = 0
    const following = untilEnd(
      createClient({ url: proxy.url }).follow('t', {
        profile,
        intake,
        onStatus: ({ type }) => statuses.push(type),
      }),
      (batch) => {
        received += batch.length
        if (received > 15 * statuses.filter((type) => type === 'retrying').length) proxy.cut()
      },
    )
    await start(client, 'paced')
    const got = await following
    expect(statuses.filter((type) => type === 'retrying').length).toBeGreaterThan(2)
    expect(verify(got.map(({ envelope }) => envelope))).toEqual([])
    expect(textOf(got)).toBe(words.join(''))
    expect(intake.count()).toMatchObject({ missing: 0, gaps: [] })
    if (profile === 'debug') expect(got).toEqual(await logOf(client))
  },
)

test('a follower goes on when the server was restarted in the middle of a run', async () => {
  const store = await mkdtemp(join(tmpdir(), 'clewline-client-'))
  onTestFinished(() => rm(store, { recursive: true, force: true }))
  const open = async () => serve(await createClewline({ agents, store, studio: false }), { port: 0 })
  const first = await open()
  const proxy = await cuttingProxy(first.url)
  const client = createClient({ url: proxy.url })
  await client.threads.create({ thread_id: 't' })
  const statuses: ConnectionStatus['type'][] = []
  let closing: Promise<void> | undefined
  const following = untilEnd(
    client.follow('t', { profile: 'debug', onStatus: ({ type }) => statuses.push(type) }),
    (batch) => {
      if (!batch.some(({ envelope }) => envelope.type === 'llm_token')) return
      closing ??= first.close({ timeoutMs: 0 })
    },
  )
  await start(client, 'paced')
  await expect.poll(() => closing !== undefined).toBe(true)
  await closing
  const second = await open()
  onTestFinished(() => second.close({ timeoutMs: 100 }))
  proxy.lead(second.url)
  const got = await following
  expect(statuses).toContain('retrying')
  expect(verify(got.map(({ envelope }) => envelope))).toEqual([])
  expect(got.map(({ position }) => position)).toEqual(got.map((_, index) => index + 1))
})

test('a follower waits for a server that is not there, and a bounded read gives up on it', async () => {
  const { service, client } = await withThread()
  const proxy = await cuttingProxy('http://127.0.0.1:9')
  const far = createClient({ url: proxy.url })
  await expect(far.read('t', { retries: 0 })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'unavailable',
    message: `No Clewline answers at ${proxy.url}.`,
  })
  const following = untilEnd(
    far.follow('t', {
      onStatus: ({ type }) => {
        if (type === 'retrying') proxy.lead(service.url)
      },
    }),
  )
  await start(client, 'chat')
  expect(textOf(await following)).toBe(words.join(''))
})

test('a follower of a thread that is not there is refused at once', async () => {
  const { client } = await withThread()
  for (const stream of [client.follow('gone'), client.read('gone')])
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringMatching(/./),
    })
})

test('an envelope of megabytes comes whole', async () => {
  const { client } = await withThread()
  const following = untilEnd(client.follow('t', { profile: 'debug' }))
  await start(client, 'huge')
  expect(textOf(await following)).toHaveLength(HUGE)
})

test('a follower that is aborted, or that leaves, ends its connection and no other', async () => {
  const { service, client } = await withThread()
  const stop = new AbortController()
  const aborted = untilEnd(client.follow('t', { profile: 'debug', signal: stop.signal }))
  const other = untilEnd(client.follow('t', { profile: 'debug' }))
  await expect.poll(() => service.clewline.log.readers()).toBe(2)
  stop.abort()
  expect(await aborted).toEqual([])
  await expect.poll(() => service.clewline.log.readers()).toBe(1)
  await start(client, 'chat')
  expect(textOf(await other)).toBe(words.join(''))
  await expect.poll(() => service.clewline.log.readers()).toBe(0)
})

test('two followers, one of which is slow, see the same', async () => {
  const { client } = await withThread()
  const isOver = async (): Promise<void> => {
    await expect.poll(async () => (await client.threads.get('t')).status).toBe('idle')
  }
  const quick = untilEnd(client.follow('t', { profile: 'debug' }))
  const slow = untilEnd(client.follow('t', { profile: 'debug' }), isOver)
  await start(client, 'paced')
  expect(await slow).toEqual(await quick)
})

test('a follower starts after any position, without a false gap', async () => {
  const { client } = await withThread()
  await start(client, 'chat')
  await untilEnd(client.follow('t'))
  const log = await logOf(client)
  for (const after of [0, 1, 7, log.length - 1]) {
    const intake = createIntake({ after })
    expect(await untilEnd(client.follow('t', { profile: 'debug', after, intake }))).toEqual(log.slice(after))
    expect(intake.count().gaps).toEqual([])
  }
})

test('a listener hears of threads, runs and crons, and listens again after its connection was reset', async () => {
  const { service, client } = await withThread()
  const proxy = await cuttingProxy(service.url)
  const heard: Change['type'][] = []
  let lives = 0
  const stop = new AbortController()
  const listening = (async () => {
    const onStatus = ({ type }: ConnectionStatus): void => void (lives += type === 'live' ? 1 : 0)
    for await (const { type } of createClient({ url: proxy.url }).changes({ signal: stop.signal, onStatus }))
      heard.push(type)
  })()
  await expect.poll(() => lives).toBe(1)
  const cron = await client.crons.create({ schedule: '0 9 * * *', agent: 'chat', input: userSays('go') })
  await expect.poll(() => heard).toEqual(['cron'])
  proxy.cut()
  await expect.poll(() => lives).toBe(2)
  await client.crons.delete(cron.cron_id)
  await start(client, 'chat')
  await expect.poll(() => new Set(heard)).toEqual(new Set(['cron', 'thread', 'run']))
  await expect.poll(async () => (await client.threads.get('t')).status).toBe('idle')
  await client.threads.delete('t')
  await expect.poll(() => heard).toContain('thread_removed')
  stop.abort()
  await listening
})
