import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Append, Cron, Run, Store, Thread } from './store.ts'

const T0 = '2026-01-01T00:00:00.000Z'
const T1 = '2026-01-01T00:00:01.000Z'
const T9 = '2026-01-01T00:00:09.000Z'
const FAR = '2026-12-31T00:00:00.000Z'

let made = 0
const fresh = (what: string): string => `${what}-${(made += 1)}`

const threadOf = (thread_id: string, change: Partial<Thread> = {}): Thread => ({
  thread_id,
  title: null,
  agent: null,
  status: 'idle',
  created_at: T0,
  updated_at: T0,
  owner: null,
  metadata: {},
  ...change,
})

const runOf = (thread_id: string, change: Partial<Run> = {}): Run => ({
  run_id: fresh('run'),
  thread_id,
  trace_id: fresh('trace'),
  agent: 'a',
  status: 'pending',
  request: { kind: 'input', input: { messages: [] } },
  attempt: 0,
  created_at: T0,
  started_at: null,
  ended_at: null,
  run_at: T0,
  cron_id: null,
  error: null,
  crashes: 0,
  position: 0,
  end_position: null,
  base_checkpoint: null,
  ...change,
})

const cronOf = (change: Partial<Cron> = {}): Cron => ({
  cron_id: fresh('cron'),
  schedule: '* * * * *',
  timezone: 'UTC',
  thread_id: null,
  agent: 'a',
  input: { n: 1 },
  on_overlap: 'skip',
  created_at: T0,
  next_at: T1,
  last_at: null,
  last_run_id: null,
  owner: null,
  ...change,
})

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const append = (thread_id: string, first: number, last: number, change: Partial<Append> = {}): Append => ({
  thread_id,
  first,
  last,
  bytes: bytes(`${first}-${last}`),
  ...change,
})

/** What every store must do. Each has an empty one made for it, and closed at the end. */
export function storeConformance(name: string, make: () => Promise<Store>): void {
  describe(`${name} keeps the store contract`, () => {
    let store: Store

    beforeAll(async () => {
      store = await make()
    })
    afterAll(() => store.close())

    const thread = async (change: Partial<Thread> = {}): Promise<string> => {
      const id = fresh('thread')
      await store.threads.insert(threadOf(id, change))
      return id
    }
    const drainQueue = async (): Promise<void> => {
      for (;;) {
        const run = await store.runs.claim('drain', FAR, FAR)
        if (run === null) return
        const { thread_id, run_id, attempt } = run
        const settle = { status: 'success', thread_status: 'idle', error: null, at: FAR } as const
        const none = { first: 1, last: 0, bytes: bytes('') }
        await store.segments.append([{ thread_id, ...none, fence: { run_id, attempt }, settle }])
      }
    }
    const claimed = async (thread_id: string): Promise<Run> => {
      await drainQueue()
      const run = runOf(thread_id)
      await store.runs.insert(run)
      const taken = await store.runs.claim('w', T1, T9)
      expect(taken?.run_id).toBe(run.run_id)
      return taken!
    }

    describe('threads', () => {
      test('are inserted once and changed field by field', async () => {
        const id = await thread({ title: 'one', metadata: { a: [1, null] } })
        expect(await store.threads.insert(threadOf(id, { title: 'two' }))).toBe(false)
        await store.threads.update(id, { status: 'busy' })
        expect(await store.threads.get(id)).toEqual(
          threadOf(id, { title: 'one', metadata: { a: [1, null] }, status: 'busy' }),
        )
        expect(await store.threads.get('nobody')).toBeNull()
      })

      test('are listed newest first, by owner, status and text, page by page', async () => {
        const owner = fresh('owner')
        const ids: string[] = []
        for (const n of [1, 2, 3, 4, 5]) {
          ids.unshift(
            await thread({ owner, title: `100% of_it ${n}`, updated_at: `2026-02-0${n}T00:00:00.000Z` }),
          )
        }
        const seen: string[] = []
        let before: { updated_at: string; thread_id: string } | undefined
        for (;;) {
          const page = await store.threads.list({ owner, limit: 2, ...(before && { before }) })
          if (page.length === 0) break
          seen.push(...page.map((one) => one.thread_id))
          before = page.at(-1)
        }
        expect(seen).toEqual(ids)
        const found = async (query: string): Promise<number> =>
          (await store.threads.list({ owner, query, limit: 9 })).length
        expect([
          await found('100% of_it'),
          await found('OF_IT 3'),
          await found('100_'),
          await found('%it'),
        ]).toEqual([5, 1, 0, 0])
        expect(await store.threads.list({ owner, status: 'busy', limit: 9 })).toEqual([])
      })

      test('take their runs and their log with them', async () => {
        const id = await thread()
        const run = runOf(id)
        await store.runs.insert(run)
        await store.segments.append([{ thread_id: id, first: 1, last: 1, bytes: bytes('x') }])
        await store.threads.remove(id)
        expect([
          await store.threads.get(id),
          await store.runs.get(run.run_id),
          await store.segments.last(id),
        ]).toEqual([null, null, 0])
      })
    })

    describe('runs', () => {
      test('keep what was asked, and the same id is the same run', async () => {
        const id = await thread()
        const run = runOf(id, {
          request: {
            kind: 'resume',
            answers: [{ interrupt_id: 'i', value: { ok: true } }],
            config: { recursion_limit: 5 },
          },
        })
        expect(await store.runs.insert(run)).toBe(true)
        expect(await store.runs.insert({ ...run, agent: 'other' })).toBe(false)
        expect(await store.runs.get(run.run_id)).toEqual(run)
        expect(await store.runs.trace(run.trace_id)).toEqual([run])
        await drainQueue()
      })

      test('of one trace are one at a time, so that a pause is answered once', async () => {
        await drainQueue()
        const id = await thread()
        const first = runOf(id)
        const rivals = [0, 1, 2].map(() => runOf(id, { trace_id: first.trace_id }))
        expect(await store.runs.insert(first)).toBe(true)
        expect(await store.runs.insert(runOf(id, { trace_id: first.trace_id }))).toBe(false)
        await drainQueue()
        const answers = await Promise.all(rivals.map((run) => store.runs.insert(run)))
        expect(answers.filter(Boolean)).toHaveLength(1)
        await drainQueue()
      })

      test('are whole from their end until they are noted as compacted', async () => {
        const end = async (status: 'success' | 'interrupted', at: string): Promise<string> => {
          const { run_id, thread_id, attempt } = await claimed(await thread())
          const settle = { status, thread_status: 'idle', error: null, at } as const
          await store.segments.append([append(thread_id, 1, 1, { fence: { run_id, attempt }, settle })])
          return run_id
        }
        const late = await end('success', '2025-01-02')
        const early = await end('success', '2025-01-01')
        await end('interrupted', '2025-01-01')
        const whole = async (before: string, limit = 10): Promise<string[]> =>
          (await store.runs.whole(before, limit)).map(({ run_id }) => run_id)
        expect(await whole('2025-01-02')).toEqual([early, late])
        expect(await whole('2025-01-02', 1)).toEqual([early])
        expect(await whole('2025-01-01')).toEqual([early])
        await store.runs.compacted(early)
        expect(await whole('2025-01-02')).toEqual([late])
      })

      test('that are not over are found on all threads, or on those of an owner, what is due first', async () => {
        await drainQueue()
        const owner = fresh('owner')
        const [mine, other] = [fresh('thread'), await thread()]
        await store.threads.insert(threadOf(mine, { owner }))
        const later = runOf(mine, { run_at: T9 })
        const running = await claimed(other)
        await store.runs.insert(later)
        await store.runs.insert(runOf(other))
        const found = async (...args: Parameters<Store['runs']['unfinished']>) =>
          (await store.runs.unfinished(...args)).map(({ thread_id }) => thread_id)
        expect(await found('pending', 10)).toEqual([other, mine])
        expect(await found('pending', 1)).toEqual([other])
        expect(await found('pending', 10, owner)).toEqual([mine])
        expect(await store.runs.unfinished('running', 10)).toMatchObject([{ run_id: running.run_id }])
        expect(await found('running', 10, owner)).toEqual([])
        await store.runs.cancelPending(later.run_id, T9)
        await drainQueue()
      })

      test('are claimed one at a time per thread, the oldest first, and not before they are due', async () => {
        await drainQueue()
        const id = await thread()
        const [first, second, later] = [
          runOf(id),
          runOf(id, { run_at: '2026-01-01T00:00:00.500Z' }),
          runOf(id, { run_at: T9 }),
        ]
        for (const run of [first, second, later]) await store.runs.insert(run)
        expect(await store.runs.nextDue('2025-12-31T23:59:59.999Z')).toBe(T0)
        expect(await store.runs.nextDue(T0)).toBe('2026-01-01T00:00:00.500Z')
        expect(await store.runs.nextDue(T9)).toBe(null)
        expect(await store.runs.claim('w', T1, T9)).toMatchObject({
          run_id: first.run_id,
          status: 'running',
          attempt: 1,
          started_at: T1,
        })
        expect(await store.threads.get(id)).toMatchObject({ status: 'busy' })
        expect(await store.runs.claim('w', T1, T9)).toBeNull()
        expect((await store.runs.active(id)).map((run) => run.run_id)).toEqual(
          [first, second, later].map((run) => run.run_id),
        )
        await drainQueue()
      })

      test('are never claimed twice, nor two of one thread, by many workers at once', async () => {
        await drainQueue()
        const threads = await Promise.all(Array.from({ length: 8 }, () => thread()))
        for (const id of [...threads, ...threads]) await store.runs.insert(runOf(id))
        const taken = await Promise.all(
          Array.from({ length: 24 }, (_, i) => store.runs.claim(`w${i}`, T1, T9)),
        )
        const ids = taken.flatMap((run) => run?.thread_id ?? [])
        expect(ids.toSorted()).toEqual(threads.toSorted())
        await drainQueue()
      })

      test('whose lease ran out are claimed again as the next attempt; a renewed one is not', async () => {
        const run = await claimed(await thread())
        expect(await store.runs.renew('w', '2026-01-01T00:00:20.000Z')).toEqual([
          { run_id: run.run_id, attempt: 1 },
        ])
        expect(await store.runs.claim('x', T9, '2026-01-01T00:00:30.000Z')).toBeNull()
        expect(
          await store.runs.claim('x', '2026-01-01T00:00:21.000Z', '2026-01-01T00:00:30.000Z'),
        ).toMatchObject({ run_id: run.run_id, attempt: 2, crashes: 1 })
        expect(await store.runs.renew('w', T9)).toEqual([])
        expect(await store.runs.release({ run_id: run.run_id, attempt: 1 })).toBe(false)
        expect(await store.runs.release({ run_id: run.run_id, attempt: 2 })).toBe(true)
        expect(await store.runs.get(run.run_id)).toMatchObject({ status: 'pending', attempt: 2 })
        await drainQueue()
      })

      test('that their worker gives up are claimed again at once, as after a crash', async () => {
        const run = await claimed(await thread())
        await store.runs.abandon({ run_id: run.run_id, attempt: 9 })
        expect(await store.runs.claim('x', T1, T9)).toBeNull()
        await store.runs.abandon({ run_id: run.run_id, attempt: 1 })
        expect(await store.runs.renew('w', T9)).toEqual([])
        expect(await store.runs.claim('x', T1, T9)).toMatchObject({
          run_id: run.run_id,
          attempt: 2,
          crashes: 1,
        })
        await drainQueue()
      })

      test('can be cancelled while pending, and only then', async () => {
        await drainQueue()
        const id = await thread()
        const [waiting, other] = [runOf(id), runOf(id)]
        await store.runs.insert(other)
        await store.runs.claim('w', T1, T9)
        await store.runs.insert(waiting)
        expect(await store.runs.pending()).toBe(1)
        expect([
          await store.runs.cancelPending(waiting.run_id, T1),
          await store.runs.cancelPending(other.run_id, T1),
        ]).toEqual([true, false])
        expect(await store.runs.pending()).toBe(0)
        await drainQueue()
      })

      test('note where they began', async () => {
        const run = await claimed(await thread())
        await store.runs.begin({ run_id: run.run_id, attempt: 1 }, 7, 'cp')
        await store.runs.begin({ run_id: run.run_id, attempt: 9 }, 99, 'zombie')
        expect(await store.runs.get(run.run_id)).toMatchObject({ position: 7, base_checkpoint: 'cp' })
        await drainQueue()
      })
    })

    describe('segments', () => {
      test('stand without a gap: an append elsewhere than at the end is refused, the others stand', async () => {
        const [a, b] = [await thread(), await thread()]
        const answers = await store.segments.append([
          append(a, 1, 3),
          append(b, 2, 2),
          append(a, 4, 4),
          append(a, 4, 5),
        ])
        expect(answers).toEqual([true, false, true, false])
        expect([await store.segments.last(a), await store.segments.last(b)]).toEqual([4, 0])
      })

      test('are read from the row that holds the next position, in pages', async () => {
        const id = await thread()
        await store.segments.append(
          Array.from({ length: 30 }, (_, i) =>
            append(id, i * 10 + 1, i * 10 + 10, { bytes: new Uint8Array(100).fill(i) }),
          ),
        )
        const page = await store.segments.read(id, 25, 250)
        expect(page.map(({ first, last }) => [first, last])).toEqual([
          [21, 30],
          [31, 40],
          [41, 50],
        ])
        expect([...page[0]!.bytes.subarray(0, 2)]).toEqual([2, 2])
        expect(await store.segments.read(id, 299, 1)).toHaveLength(1)
        expect(await store.segments.read(id, 300, 1)).toEqual([])
      })

      test('of a run are refused once another attempt has it', async () => {
        const run = await claimed(await thread())
        const fence = { run_id: run.run_id, attempt: 1 }
        expect(await store.segments.append([append(run.thread_id, 1, 1, { fence })])).toEqual([true])
        await store.runs.claim('x', T9, '2026-01-01T00:00:30.000Z')
        expect(await store.segments.append([append(run.thread_id, 2, 2, { fence })])).toEqual([false])
        expect(
          await store.segments.append([append(run.thread_id, 2, 2, { fence: { ...fence, attempt: 2 } })]),
        ).toEqual([true])
        await store.runs.release({ run_id: run.run_id, attempt: 2 })
        await drainQueue()
      })

      test('end their run in the same breath', async () => {
        const run = await claimed(await thread())
        const fence = { run_id: run.run_id, attempt: 1 }
        const settle = {
          status: 'error',
          thread_status: 'error',
          error: { name: 'E', message: 'm' },
          at: T9,
        } as const
        expect(await store.segments.append([append(run.thread_id, 1, 1, { fence, settle })])).toEqual([true])
        expect(await store.runs.get(run.run_id)).toMatchObject({
          status: 'error',
          error: { name: 'E', message: 'm' },
          ended_at: T9,
          end_position: 1,
        })
        expect(await store.threads.get(run.thread_id)).toMatchObject({ status: 'error' })
        expect(await store.segments.append([append(run.thread_id, 2, 2, { fence })])).toEqual([false])
      })

      test('are replaced as a whole by compaction', async () => {
        const id = await thread()
        await store.segments.append([append(id, 1, 2), append(id, 3, 4), append(id, 5, 6)])
        await store.segments.replace(id, 1, 4, [{ first: 1, last: 4, bytes: bytes('both') }])
        const rows = await store.segments.read(id, 0, 1_000)
        expect(rows.map((row) => [row.first, row.last, new TextDecoder().decode(row.bytes)])).toEqual([
          [1, 4, 'both'],
          [5, 6, '5-6'],
        ])
      })

      test('of a thread that was removed meanwhile are not brought back by compaction', async () => {
        const id = await thread()
        await store.segments.append([append(id, 1, 2)])
        await store.threads.remove(id)
        await store.segments.replace(id, 1, 2, [{ first: 1, last: 2, bytes: bytes('again') }])
        expect(await store.segments.read(id, 0, 1_000)).toEqual([])
      })
    })

    describe('crons', () => {
      test('are due when their time has come, and moved on by one process only', async () => {
        const cron = cronOf()
        expect(await store.crons.insert(cron)).toBe(true)
        expect((await store.crons.due(T0)).map((one) => one.cron_id)).not.toContain(cron.cron_id)
        expect(await store.crons.due(T1)).toContainEqual(cron)
        const won = await Promise.all([1, 2, 3, 4].map((n) => store.crons.advance(cron, T9, `run-${n}`, T1)))
        expect(won.filter(Boolean)).toHaveLength(1)
        expect(await store.crons.get(cron.cron_id)).toMatchObject({ next_at: T9, last_at: T1 })
      })

      test('are listed by owner and removed', async () => {
        const owner = fresh('owner')
        const cron = cronOf({ owner })
        await store.crons.insert(cron)
        expect(await store.crons.list(owner)).toEqual([cron])
        expect([await store.crons.remove(cron.cron_id), await store.crons.remove(cron.cron_id)]).toEqual([
          true,
          false,
        ])
      })
    })
  })
}
