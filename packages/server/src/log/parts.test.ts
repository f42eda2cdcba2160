import type { Entry, Envelope, RawMessage } from '@clewline/core'
import { parseJsonl } from '@clewline/core/read'
import { createLedger } from '@clewline/core/source'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { SegmentStore, Store } from '../store/store.ts'
import { foldRows, tokensOnly } from './fold-rows.ts'
import { framesOf } from './frames.ts'
import { type SegmentLog, segmentLog } from './segment-log.ts'

function openStore(): Store {
  const store = sqliteStore(':memory:')
  onTestFinished(() => store.close())
  return store
}

function openLog(segments: SegmentStore): SegmentLog {
  const log = segmentLog(segments)
  onTestFinished(() => log.close())
  return log
}

/** A text that no other turn says. */
const prose = (seed: number, length = 1_600): string =>
  Array.from({ length: length / 8 }, (_, i) =>
    ((seed * 7919 + i * 104_729) % 1e7).toString().padStart(8),
  ).join('')

const PIECES = 4

/** A token as that many, of which some are large enough to be parts. */
function pieces(token: Extract<Envelope, { type: 'llm_token' }>): Envelope[] {
  const { text } = token.payload
  const size = text.length / PIECES
  return Array.from({ length: PIECES }, (_, i) => ({
    ...token,
    seq: token.seq + i,
    payload: { ...token.payload, text: text.slice(i * size, (i + 1) * size) },
  }))
}

/** What each model call said. */
function textsOf(envelopes: readonly Envelope[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const { type, call_id, payload } of envelopes)
    if (type === 'llm_token') texts[call_id] = `${texts[call_id] ?? ''}${payload.text}`
  return texts
}

/** Turn n of a conversation: the model is sent everything so far, and answers. */
function conversation() {
  const messages: RawMessage[] = [{ type: 'system', content: prose(0, 2_000) }]
  const tools = [{ name: 'search', description: prose(1) }]
  return (n: number): Envelope[] => {
    const ledger = createLedger({ trace_id: `t${n}`, run_id: `r${n}` })
    const root = { path: [], agent: 'a' }
    const llm = { path: ['llm'], agent: 'a' }
    messages.push({ type: 'human', content: prose(2 * n) })
    const input = { messages: [...messages], tools }
    const raw: RawMessage = { type: 'ai', content: prose(2 * n + 1) }
    messages.push(raw)
    const message = { id: `m${n}`, text: prose(2 * n + 1), tool_calls: [] }
    return [
      ...ledger.stamp({ ...root, type: 'tool_start', payload: { tool_name: 'a', kind: 'graph', input: {} } }),
      ...ledger.stamp({ ...llm, type: 'llm_start', payload: { model: 'm', params: {}, input } }),
      ...ledger.stamp({ ...llm, type: 'llm_token', payload: { text: prose(2 * n + 1) } }),
      ...ledger.stamp({
        ...llm,
        type: 'llm_end',
        payload: { usage: {}, finish_reason: 'stop', message, raw },
      }),
      ...ledger.close({ status: 'cancelled' }),
    ]
  }
}

async function entriesOf(log: SegmentLog, after = 0): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const entries of log.read('t', { after, follow: false })) found.push(...entries)
  return found
}

async function linesOf({ segments }: Store, thread = 't'): Promise<string[]> {
  const rows = await segments.read(thread, 0, Infinity)
  return rows.flatMap((row) => [...framesOf(row)].map(({ json }) => json))
}

const partsIn = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith('{"part"'))

async function grown(turns: number): Promise<{ bytes: number; written: Envelope[]; store: Store }> {
  const store = openStore()
  const turn = conversation()
  const written: Envelope[] = []
  let log = segmentLog(store.segments)
  for (let n = 1; n <= turns; n++) {
    const envelopes = turn(n)
    written.push(...envelopes)
    await log.append('t', envelopes)
    if (n % 10 > 0) continue
    // Another process goes on: what the log holds is found in the store.
    await log.close()
    log = segmentLog(store.segments)
  }
  await log.close()
  const rows = await store.segments.read('t', 0, Infinity)
  return { bytes: rows.reduce((sum, row) => sum + row.bytes.length, 0), written, store }
}

test('a conversation of twice the turns takes twice the bytes, and little more than its contents, across processes', async () => {
  const [one, two] = [await grown(100), await grown(200)]
  expect(two.bytes / one.bytes).toBeLessThan(2.1)
  const log = openLog(two.store.segments)
  expect((await entriesOf(log)).map(({ envelope }) => envelope)).toEqual(two.written)
  // Its contents: two messages each turn, the prompt and the tools, and the envelopes without all of these.
  const bare = two.written.map((envelope) =>
    JSON.stringify(envelope, (key, value) =>
      key === 'messages' || key === 'tools' || String(value).length >= 256 ? undefined : value,
    ),
  )
  const contents = 200 * 2 * 1_600 + 2_000 + 1_600 + bare.join('\n').length
  expect(two.bytes / contents).toBeLessThan(1.3)
}, 60_000)

test('an image that twenty calls see stands once, and comes out byte for byte', async () => {
  const store = openStore()
  const image = Buffer.alloc(5_000_000, 'pixel').toString('base64')
  const message: RawMessage = { type: 'human', content: [{ type: 'image', data: image }] }
  const ledger = createLedger({ trace_id: 'x', run_id: 'r' })
  const log = openLog(store.segments)
  await log.append('t', [
    ...ledger.stamp({
      type: 'tool_start',
      path: [],
      agent: 'a',
      payload: { tool_name: 'a', kind: 'graph', input: {} },
    }),
  ])
  for (let n = 0; n < 20; n++)
    await log.append('t', [
      ...ledger.stamp({
        type: 'llm_start',
        path: [`${n}`],
        agent: 'a',
        payload: { model: 'm', params: {}, input: { messages: [structuredClone(message)] } },
      }),
    ])
  const lines = await linesOf(store)
  expect(lines.filter((line) => line.includes(image.slice(0, 100)))).toHaveLength(1)
  const asked = (await entriesOf(openLog(store.segments))).flatMap(({ envelope }) =>
    envelope.type === 'llm_start' ? [envelope.payload.input?.messages] : [],
  )
  expect(asked).toHaveLength(20)
  expect(asked.every((messages) => JSON.stringify(messages) === JSON.stringify([message]))).toBe(true)
})

test('a reader that starts anywhere gets whole values', async () => {
  const { written, store } = await grown(40)
  const log = openLog(store.segments)
  for (const after of [1, 77, written.length - 3])
    expect((await entriesOf(log, after)).map(({ envelope }) => envelope)).toEqual(written.slice(after))
})

test('parts are asked for by name and come with what they refer to; a page of them is bounded', async () => {
  const { store } = await grown(40)
  const log = openLog(store.segments)
  const lines = await linesOf(store)
  const last = lines.findLast((line) => line.includes('"llm_start"'))!
  const [head] = /(?<="\$list":")[\w-]{43}/.exec(last)!
  const all = await log.parts('t', [head], Infinity)
  // A node and a text for each message.
  expect(all).toHaveLength(2 * 80)
  expect(await log.parts('t', [head], 10_000)).toHaveLength(
    (await log.parts('t', [head], 10_000)).filter(({ part }) => all.some((one) => one.part === part)).length,
  )
  expect((await log.parts('t', [head], 10_000)).length).toBeLessThan(60)
  expect(await log.parts('t', ['no-such-part'], 1)).toEqual([])
  expect(await log.parts('u', [head], 1)).toEqual([])
})

test('what another process writes is read whole at the tail, and not written again', async () => {
  const store = openStore()
  const [here, there] = [openLog(store.segments), openLog(store.segments)]
  const turn = conversation()
  const first = turn(1)
  await here.append('t', first)
  const live: Entry[] = []
  await here.tail('t')
  here.follow('t', first.length, { next: ({ entries }) => live.push(...entries), end: () => {} })
  const second = structuredClone(turn(2))
  await there.append('t', second)
  await here.refresh('t')
  expect(live.map(({ envelope }) => envelope)).toEqual(second)
  await here.append('t', structuredClone(turn(3)))
  const names = partsIn(await linesOf(store)).map((line) => JSON.parse(line).part)
  expect(new Set(names).size).toBe(names.length)
})

test('parts of a batch that failed are written by the next one', async () => {
  const store = openStore()
  let isBroken = false
  const log = openLog({
    ...store.segments,
    append: async (appends) => {
      if (isBroken) throw new Error('disk full')
      return store.segments.append(appends)
    },
  })
  const turn = conversation()
  await log.append('t', turn(1))
  const envelopes = turn(2)
  isBroken = true
  await expect(log.append('t', envelopes)).rejects.toThrow('disk full')
  isBroken = false
  await log.append('t', envelopes)
  expect(
    (await entriesOf(openLog(store.segments))).slice(-envelopes.length).map(({ envelope }) => envelope),
  ).toEqual(envelopes)
})

test('a thread that was removed takes its parts along: one of the same name starts with none', async () => {
  const store = openStore()
  const log = openLog(store.segments)
  const envelopes = conversation()(1)
  await log.append('t', envelopes)
  await log.remove('t')
  await log.append('t', envelopes)
  expect((await entriesOf(openLog(store.segments))).map(({ envelope }) => envelope)).toEqual(envelopes)
})

test('folded rows keep every part and the text of all else: later rows find theirs', async () => {
  const store = openStore()
  const log = openLog(store.segments)
  const turn = conversation()
  const written: Envelope[] = []
  for (let n = 1; n <= 6; n++) {
    const envelopes = turn(n).flatMap((envelope) =>
      envelope.type === 'llm_token' ? pieces(envelope) : envelope,
    )
    written.push(...envelopes)
    await log.append('t', envelopes)
  }
  const perTurn = written.length / 6
  const before = await linesOf(store)
  const [row] = await store.segments.read('t', perTurn, 1)
  const decoder = log.decoder('t', { project: tokensOnly })
  const folded = await foldRows([row!], decoder, async () => {})
  expect(folded?.saved).toBe(PIECES - 1)
  expect(await store.segments.replace('t', perTurn + 1, 2 * perTurn, folded!.rows)).toBe(true)

  const lines = await linesOf(store)
  const isToken = (line: string): boolean => line.includes('"type":"llm_token"')
  expect(partsIn(lines).toSorted()).toEqual(partsIn(before).toSorted())
  expect(lines.filter((line) => !isToken(line) && !line.startsWith('{"part"'))).toEqual(
    before.filter((line) => !isToken(line) && !line.startsWith('{"part"')),
  )
  const problems: string[] = []
  const envelopes: Envelope[] = []
  for await (const read of parseJsonl([lines.join('\n')])) {
    if ('problem' in read) problems.push(read.problem)
    else envelopes.push(read.envelope)
  }
  expect(problems).toEqual([])
  expect(envelopes.slice(-4 * perTurn)).toEqual(written.slice(2 * perTurn))
  expect(textsOf(envelopes)).toEqual(textsOf(written))
  expect((await entriesOf(openLog(store.segments))).map(({ envelope }) => envelope)).toEqual(envelopes)
})

test('a value of 32 MiB makes a row of its own size, and no page holds two', async () => {
  const store = openStore()
  const log = openLog(store.segments)
  const ledger = createLedger({ trace_id: 'x', run_id: 'r' })
  const large = (n: number): string => `${n}`.repeat(8 * 1024 * 1024)
  await log.append('t', [
    ...ledger.stamp({
      type: 'tool_start',
      path: [],
      agent: 'a',
      payload: { tool_name: 'a', kind: 'graph', input: {} },
    }),
    ...[1, 2, 3].flatMap((n) =>
      ledger.stamp({
        type: 'tool_update',
        path: [],
        agent: 'a',
        payload: { tool_name: 'a', data: large(n) },
      }),
    ),
  ])
  expect((await log.page('t', 0)).length).toBe(1)
  expect((await log.page('t', 2)).length).toBe(1)
  expect((await entriesOf(log)).at(-1)?.envelope.payload).toMatchObject({ data: large(3) })
})
