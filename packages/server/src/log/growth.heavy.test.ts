import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { type Envelope, isRecord, type Json } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { normalise } from '@clewline/core/message'
import { parseJsonl } from '@clewline/core/read'
import { scriptedModel } from '@clewline/langgraph/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Clewline, createClewline } from '../create-clewline.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from '../store/postgres/start-postgres.ts'
import { chatGraph } from '../testing/chat-graph.ts'

/** A text that no other turn says. */
const prose = (seed: number, length: number): string =>
  Array.from({ length: length / 8 }, (_, i) =>
    ((seed * 7919 + i * 104_729) % 1e7).toString().padStart(8),
  ).join('')

type Agent = Parameters<typeof createClewline>[0]['agents'][string]

/** Opens the store for as long as `work` takes: the next one finds only what is stored. */
async function within<T>(store: string, agent: Agent, work: (clewline: Clewline) => Promise<T>): Promise<T> {
  const clewline = await createClewline({ agents: { agent }, store, studio: false })
  try {
    return await work(clewline)
  } finally {
    await clewline.close()
  }
}

async function run(clewline: Clewline, content: Json): Promise<void> {
  const input = { messages: [{ role: 'user', content }] }
  const { run_id } = (await clewline.runs.create('t', { agent: 'agent', input })).run
  await expect
    .poll(async () => (await clewline.runs.get('t', run_id)).status, { interval: 5, timeout: 60_000 })
    .toBe('success')
}

async function exported(clewline: Clewline): Promise<string> {
  const response = await clewline.fetch(new Request('http://localhost/api/threads/t/export'))
  return response.text()
}

async function envelopesIn(log: string): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  for await (const read of parseJsonl([log])) {
    if ('problem' in read) throw new Error(read.problem)
    envelopes.push(read.envelope)
  }
  expect(verify(envelopes)).toEqual([])
  return envelopes
}

/** Bytes of the envelopes, with each long text and each message counted once. */
function distinctBytes(envelopes: readonly Envelope[]): number {
  const distinct = new Set<string>()
  const bare = (value: unknown): unknown => {
    if (typeof value === 'string' && value.length >= 256) return void distinct.add(value)
    if (Array.isArray(value)) return value.map(bare)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => {
        if (key !== 'messages' || !Array.isArray(field)) return [key, bare(field)]
        for (const message of field) distinct.add(JSON.stringify(bare(message)))
        return [key, undefined]
      }),
    )
  }
  const around = envelopes.reduce((sum, envelope) => sum + JSON.stringify(bare(envelope)).length + 1, 0)
  return around + [...distinct].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

interface Grown {
  readonly bytes: number
  /** Once the tokens of its answers are folded. */
  readonly compacted: number
  readonly overDistinct: number
  readonly compactedOverDistinct: number
}

/** A conversation of so many turns, taken up by another process each 25. */
async function grown(store: string, turns: number, length: number): Promise<Grown> {
  let turn = 0
  const graph = chatGraph(() => ({ text: prose(10_000 + turn, length) }))
  await within(store, graph, async ({ threads }) => void (await threads.create({ thread_id: 't' })))
  while (turn < turns)
    await within(store, graph, async (clewline) => {
      do await run(clewline, prose((turn += 1), length))
      while (turn % 25 > 0)
    })
  return within(store, graph, async (clewline) => {
    const log = await exported(clewline)
    await clewline.compact('t')
    const short = await exported(clewline)
    const [whole, folded] = [await envelopesIn(log), await envelopesIn(short)]
    return {
      bytes: log.length,
      compacted: short.length,
      overDistinct: log.length / distinctBytes(whole),
      compactedOverDistinct: short.length / distinctBytes(folded),
    }
  })
}

const image = Buffer.from(Uint8Array.from({ length: 5_000_000 }, (_, i) => (i * 7919) % 251)).toString(
  'base64',
)

/** Asks its model ten times in each run, each time with all there is. */
function looking() {
  const model = scriptedModel(() => ({ text: 'a cat' }))
  return new StateGraph(MessagesAnnotation)
    .addNode('look', async ({ messages }) => {
      for (let n = 1; n < 10; n++) await model.invoke(messages)
      return { messages: [await model.invoke(messages)] }
    })
    .addEdge(START, 'look')
    .addEdge('look', END)
    .compile()
}

/** Says as much as it is asked for. */
const talkative = new StateGraph(MessagesAnnotation)
  .addNode('talk', ({ messages }) => ({
    messages: [{ role: 'assistant', content: 'ä'.repeat(Number(messages.at(-1)?.text)) }],
  }))
  .addEdge(START, 'talk')
  .addEdge('talk', END)
  .compile()

function grows(newStore: () => Promise<string>): void {
  test('a log of 200 turns is twice that of 100, and at most 1.3 times its envelopes with each value counted once', async () => {
    const [one, two] = [await grown(await newStore(), 100, 800), await grown(await newStore(), 200, 800)]
    console.log(`${JSON.stringify(one)} ${JSON.stringify(two)}`)
    expect(two.bytes / one.bytes).toBeLessThan(2.1)
    expect(two.compacted / one.compacted).toBeLessThan(2.1)
    expect(two.overDistinct).toBeLessThan(1.3)
    expect(two.compactedOverDistinct).toBeLessThan(1.3)
  })

  test('an image of 5 MB that twenty calls see, before and after a restart, stands once, and comes out byte for byte', async () => {
    const store = await newStore()
    const content = [
      { type: 'text', text: 'what is this?' },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: image },
    ]
    await within(store, looking(), async (clewline) => {
      await clewline.threads.create({ thread_id: 't' })
      await run(clewline, content)
    })
    const log = await within(store, looking(), async (clewline) => {
      await run(clewline, 'and its colour?')
      return exported(clewline)
    })
    expect(log.split(image)).toHaveLength(2)
    expect(log.length).toBeLessThan(image.length + 200_000)
    const inputs = (await envelopesIn(log)).flatMap((one) =>
      one.type === 'llm_start' ? [one.payload.input?.messages[0]?.content] : [],
    )
    expect(inputs).toHaveLength(20)
    for (const input of inputs) expect(JSON.stringify(input) === JSON.stringify(content)).toBe(true)
    const { values } = await within(store, looking(), ({ threads }) => threads.state('t'))
    const { messages } = normalise(values)
    expect(JSON.stringify(messages[0]?.content) === JSON.stringify(content)).toBe(true)
  })

  test('a text of 20 MB is recorded whole, one of 40 MB is refused with a warning', async () => {
    const store = await newStore()
    const envelopes = await within(store, talkative, async (clewline) => {
      await clewline.threads.create({ thread_id: 't' })
      await run(clewline, '10000000')
      await run(clewline, '20000000')
      return envelopesIn(await exported(clewline))
    })
    const said = envelopes.flatMap((one) =>
      one.type === 'tool_end' && one.parent_id !== null ? [JSON.stringify(one.payload.result)] : [],
    )
    expect(said[0]!.includes('ä'.repeat(10_000_000))).toBe(true)
    expect(said[1]).toContain('[refused: 40000000 bytes, the limit is 33554432]')
    expect(envelopes.some((one) => one.type === 'warning' && one.payload.code === 'too-large')).toBe(true)
  })
}

describe('on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-growth-'))
  let made = 0
  afterAll(() => rmSync(folder, { recursive: true }))
  grows(() => Promise.resolve(join(folder, `${(made += 1)}`)))
})

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

describe.skipIf(programs === null)(`on Postgres${needs}`, () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.stop())
  grows(() => postgres.newDatabase())
})
