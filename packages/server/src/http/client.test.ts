import { type Client, ClewlineError, createClient } from '@clewline/client'
import { expect, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

const agents = {
  chat: chatGraph([{ text: 'hello there' }]),
  slow: chatGraph([{ text: Array.from({ length: 1000 }, (_, i) => `w${i} `), delayMs: 20 }]),
}

async function client(): Promise<Client> {
  const { url } = await startService({ agents })
  return createClient({ url })
}

/** Starts a run and waits for its end. */
async function runs(client: Client, thread: string): Promise<string> {
  const { run_id } = await client.runs.create(thread, { agent: 'chat', input: userSays('go') })
  await expect.poll(async () => (await client.runs.get(thread, run_id)).status).toBe('success')
  return run_id
}

test('a client manages threads', async () => {
  const { threads } = await client()
  const made = await threads.create({ thread_id: 't', title: 'Tea', metadata: { from: 'here' } })
  expect(made).toMatchObject({ thread_id: 't', title: 'Tea', status: 'idle', position: 0 })
  // Idempotent.
  expect(await threads.create({ thread_id: 't' })).toEqual(made)
  expect(await threads.get('t')).toEqual(made)
  expect(await threads.update('t', { title: 'Coffee' })).toMatchObject({
    title: 'Coffee',
    metadata: { from: 'here' },
  })
  await threads.create({ title: 'Other' })
  const page = await threads.list({ limit: 1 })
  const rest = await threads.list({ limit: 1, before: page.next ?? '' })
  expect([...page.threads, ...rest.threads].map(({ title }) => title)).toEqual(['Other', 'Coffee'])
  expect((await threads.list({ query: 'coff', status: 'idle' })).threads).toHaveLength(1)
  await threads.delete('t')
  await expect(threads.get('t')).rejects.toMatchObject({ code: 'not-found' })
})

/** A part has no position. */
const envelopeLines = (jsonl: string): string[] =>
  jsonl
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('{"part":'))

test('a client runs agents, and sees and changes what they have saved', async () => {
  const { threads, ...clewline } = await client()
  await threads.create({ thread_id: 't' })
  const run_id = await runs({ threads, ...clewline }, 't')
  expect(await clewline.runs.list('t')).toMatchObject([{ run_id, kind: 'input', agent: 'chat' }])
  const state = await threads.state('t')
  expect(state).toMatchObject({ next: [], interrupts: [], status: 'idle' })
  const messages = [{ role: 'user', content: 'by hand' }]
  expect(JSON.stringify((await threads.updateState('t', { messages })).values)).toContain('by hand')
  const [newest] = await threads.checkpoints('t')
  const fork = await threads.fork('t', { checkpoint_id: newest?.checkpoint_id ?? '' })
  expect(JSON.stringify((await threads.state(fork.thread_id)).values)).toContain('by hand')

  const jsonl = await (await threads.export('t')).text()
  const copy = await threads.import(jsonl, { thread_id: 'copy', title: 'Copied' })
  expect(copy).toMatchObject({
    thread_id: 'copy',
    title: 'Copied',
    position: envelopeLines(jsonl).length,
  })
  await expect(threads.import('{"type":"tool_end"}')).rejects.toMatchObject({ code: 'bad-file' })
})

test('a client cancels what runs and what waits', async () => {
  const { threads, runs } = await client()
  await threads.create({ thread_id: 't' })
  const running = await runs.create('t', { agent: 'slow', input: userSays('go') })
  const later = await runs.create('t', { agent: 'slow', input: userSays('go'), after_seconds: 1000 })
  await expect.poll(async () => (await runs.unfinished('running')).length).toBe(1)
  expect(await runs.unfinished('pending')).toMatchObject([{ run_id: later.run_id }])
  for (const { run_id } of [running, later])
    expect(await runs.cancel('t', run_id)).toMatchObject({ run_id, status: 'cancelled' })
  const far = await runs.create('t', { agent: 'slow', input: userSays('go'), after_seconds: 3_600 })
  expect(await runs.cancelAll('t')).toEqual([])
  expect(await runs.cancelAll('t', { scheduled: true })).toMatchObject([
    { run_id: far.run_id, status: 'cancelled' },
  ])
})

test('a client manages crons, and knows the service', async () => {
  const { crons, ...clewline } = await client()
  const cron = await crons.create({ schedule: '0 9 * * *', agent: 'chat', input: userSays('go') })
  expect(cron).toMatchObject({ timezone: 'UTC', on_overlap: 'skip', thread_id: null })
  expect(await crons.list()).toEqual([cron])
  await crons.delete(cron.cron_id)
  expect(await crons.list()).toEqual([])
  expect((await clewline.agents()).map(({ name }) => name)).toEqual(['chat', 'slow'])
  expect(await clewline.info()).toMatchObject({ agents: 2, auth: false })
})

test("a client's refusals are the server's, with their code and hint", async () => {
  const { threads, runs } = await client()
  await threads.create({ thread_id: 't' })
  const refused = runs.create('t', { agent: 'nobody', input: null })
  await expect(refused).rejects.toBeInstanceOf(ClewlineError)
  await expect(refused).rejects.toMatchObject({
    code: 'unknown-agent',
    hint: expect.stringContaining('chat'),
  })
  await expect(runs.create('t', { agent: 'chat' })).rejects.toMatchObject({ code: 'bad-request' })
})

test('a client with a token gets in, and one without it is refused everywhere', async () => {
  const { url } = await startService({ agents, token: 'secret' })
  expect((await createClient({ url, token: 'secret' }).threads.list()).threads).toEqual([])
  for (const stranger of [createClient({ url }), createClient({ url, token: () => 'wrong' })]) {
    await expect(stranger.threads.list()).rejects.toMatchObject({ code: 'unauthorized' })
    for (const stream of [stranger.follow('t'), stranger.changes()])
      await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'unauthorized' })
  }
})
