import { describe, expect, test } from 'vitest'
import type { Run, Store, Turn } from '../store/store.ts'
import {
  appendOf,
  freshId,
  FUTURE,
  LEASE_MS,
  PAST_LATER,
  runRow,
  threadRow,
  type StoreUnderTest,
} from './store-under-test.ts'

/** What every `RunStore` must do. */
export function runStoreConformance({ store, thread, claimed, drainQueue, tick }: StoreUnderTest): void {
  describe('runs', () => {
    test('keep what was asked, and the same id is the same run', async () => {
      const id = await thread()
      const run = runRow(id, {
        request: {
          kind: 'resume',
          answers: [{ interrupt_id: 'i', value: { ok: true } }],
          config: { recursion_limit: 5 },
        },
      })
      expect(await store().runs.insert(run)).toBe(true)
      expect(await store().runs.insert({ ...run, agent: 'other' })).toBe(false)
      expect(await store().runs.get(run.run_id)).toEqual(run)
      const { request, ...facts } = run
      expect(await store().runs.trace(run.trace_id)).toEqual([{ ...facts, kind: request.kind }])
      await drainQueue()
    })

    test('of one trace are one at a time, so that an interrupt is answered once', async () => {
      await drainQueue()
      const id = await thread()
      const first = runRow(id)
      const rivals = [0, 1, 2].map(() => runRow(id, { trace_id: first.trace_id }))
      expect(await store().runs.insert(first)).toBe(true)
      expect(await store().runs.insert(runRow(id, { trace_id: first.trace_id }))).toBe(false)
      await drainQueue()
      const answers = await Promise.all(rivals.map((run) => store().runs.insert(run)))
      expect(answers.filter(Boolean)).toHaveLength(1)
      await drainQueue()
    })

    test('are taken from a worker that still has its lease: what it appends from then on is refused', async () => {
      await drainQueue()
      const run = await claimed(await thread())
      const { run_id, thread_id } = run
      const old = { run_id, attempt: run.attempt }
      const taken = await store().runs.takeOver(old, 'another', LEASE_MS)
      expect(taken).toEqual({ ...run, attempt: run.attempt + 1 })
      expect(await store().runs.takeOver(old, 'a third', LEASE_MS)).toBeNull()
      expect(await store().runs.renew('w', LEASE_MS)).toEqual([])
      expect(await store().runs.renew('another', LEASE_MS)).toEqual([{ run_id, attempt: run.attempt + 1 }])
      expect(await store().segments.append([appendOf(thread_id, 1, 1, { fence: old })])).toEqual([false])
      const settle = { status: 'cancelled', thread_status: 'idle', error: null } as const
      const fence = { run_id, attempt: run.attempt + 1 }
      expect(await store().segments.append([appendOf(thread_id, 1, 1, { fence, settle })])).toEqual([true])
      expect(await store().runs.takeOver(fence, 'a third', LEASE_MS)).toBeNull()
    })

    test('are due for compaction from their end until they are marked, the one that ended first first', async () => {
      await drainQueue()
      for (const { run_id } of await store().runs.dueForCompaction(0, 10_000)) {
        await store().runs.markCompacted(run_id)
      }
      const end = async (status: 'success' | 'cancelled' | 'interrupted'): Promise<string> => {
        const { run_id, thread_id, attempt } = await claimed(await thread())
        const settle = { status, thread_status: 'idle', error: null } as const
        await store().segments.append([appendOf(thread_id, 1, 1, { fence: { run_id, attempt }, settle })])
        await tick()
        return run_id
      }
      const [early, late] = [await end('success'), await end('cancelled')]
      await end('interrupted')
      const due = async (afterMs: number, limit = 10): Promise<string[]> =>
        (await store().runs.dueForCompaction(afterMs, limit)).map(({ run_id }) => run_id)
      expect(await due(0)).toEqual([early, late])
      expect(await due(0, 1)).toEqual([early])
      expect(await due(600_000)).toEqual([])
      await store().runs.markCompacted(early)
      expect(await due(0)).toEqual([late])
    })

    test('that are not over are found on all threads, or on those of an owner, what is due first', async () => {
      await drainQueue()
      const owner = freshId('owner')
      const [mine, other] = [freshId('thread'), await thread()]
      await store().threads.insert(threadRow(mine, { owner }))
      const later = runRow(mine, { owner, run_at: FUTURE })
      const running = await claimed(other)
      await store().runs.insert(later)
      await store().runs.insert(runRow(other))
      const found = async (...args: Parameters<Store['runs']['unfinished']>) =>
        (await store().runs.unfinished(...args)).map(({ thread_id }) => thread_id)
      expect(await found('pending', 10)).toEqual([other, mine])
      expect(await found('pending', 1)).toEqual([other])
      expect(await found('pending', 10, owner)).toEqual([mine])
      expect(await store().runs.unfinished('running', 10)).toMatchObject([{ run_id: running.run_id }])
      expect(await found('running', 10, owner)).toEqual([])
      await store().runs.cancelPending(later.run_id)
      await drainQueue()
    })

    test('are claimed one at a time per thread, the oldest first, and not before they are due', async () => {
      await drainQueue()
      const id = await thread()
      const soon = new Date(Date.parse(await store().now()) + 60_000).toISOString()
      const [first, second, later] = [
        runRow(id),
        runRow(id, { run_at: PAST_LATER }),
        runRow(id, { run_at: soon }),
      ]
      expect(await store().runs.nextDue()).toBeNull()
      for (const run of [first, second, later]) await store().runs.insert(run)
      const wait = (await store().runs.nextDue())!
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(60_000)
      expect(await store().runs.claim('w', LEASE_MS)).toMatchObject({
        run_id: first.run_id,
        status: 'running',
        attempt: 1,
      })
      expect(await store().threads.get(id)).toMatchObject({ status: 'busy' })
      expect(await store().runs.claim('w', LEASE_MS)).toBeNull()
      expect((await store().runs.active(id)).map((run) => run.run_id)).toEqual(
        [first, second, later].map((run) => run.run_id),
      )
      await drainQueue()
      expect(await store().runs.get(second.run_id)).toMatchObject({ status: 'success' })
      expect(await store().runs.get(later.run_id)).toMatchObject({ status: 'pending' })
      await store().runs.cancelPending(later.run_id)
    })

    test('of several owners are claimed in turns, so that a flood of one does not hold up the others', async () => {
      await drainQueue()
      const [a, b] = [freshId('owner'), freshId('owner')]
      const of = async (owner: string | null, change: Partial<Run> = {}): Promise<string> => {
        const run = runRow(await thread({ owner }), { owner, ...change })
        await store().runs.insert(run)
        return run.run_id
      }
      const flood = [await of(a), await of(a), await of(a), await of(a)]
      const others = [await of(b, { run_at: PAST_LATER }), await of(null, { run_at: PAST_LATER })]
      const taken: Run[] = []
      for (let turn: Turn = {}; ; turn = { after: taken.at(-1)!.owner }) {
        const run = await store().runs.claim('w', LEASE_MS, turn)
        if (run === null) break
        taken.push(run)
      }
      const ids = taken.map(({ run_id }) => run_id)
      expect(new Set(ids.slice(0, 3))).toEqual(new Set([flood[0], ...others]))
      expect(ids.slice(3)).toEqual(flood.slice(1))
      await drainQueue()
    })

    test('of an owner who is full are left for later', async () => {
      await drainQueue()
      const owner = freshId('owner')
      const run = runRow(await thread({ owner }), { owner })
      await store().runs.insert(run)
      expect(await store().runs.claim('w', LEASE_MS, { full: [null, owner] })).toBeNull()
      expect(await store().runs.claim('w', LEASE_MS, { after: owner, full: [owner] })).toBeNull()
      expect(await store().runs.claim('w', LEASE_MS, { after: owner, full: [null] })).toMatchObject({
        run_id: run.run_id,
        owner,
      })
      await drainQueue()
    })

    test('of one owner go by what was given back, then by priority, then by age', async () => {
      await drainQueue()
      const insert = async (change: Partial<Run>): Promise<string> => {
        const run = runRow(await thread(), change)
        await store().runs.insert(run)
        return run.run_id
      }
      const back = await claimed(await thread())
      const low = await insert({ priority: 'low' })
      const late = await insert({ run_at: PAST_LATER })
      const soon = await insert({})
      const high = await insert({ priority: 'high', run_at: PAST_LATER })
      const never = await insert({ priority: 'high', run_at: FUTURE })
      await store().runs.release({ run_id: back.run_id, attempt: back.attempt })
      const order: (string | undefined)[] = []
      for (let i = 0; i < 6; i++) order.push((await store().runs.claim('w', LEASE_MS))?.run_id)
      expect(order).toEqual([back.run_id, high, soon, late, low, undefined])
      expect(await store().runs.get(high)).toMatchObject({ priority: 'high' })
      await store().runs.cancelPending(never)
      await drainQueue()
    })

    test('are counted by owner, those with most of them first', async () => {
      await drainQueue()
      const owner = freshId('owner')
      for (let i = 0; i < 3; i++) await store().runs.insert(runRow(await thread({ owner }), { owner }))
      await store().runs.insert(runRow(await thread()))
      expect(await store().runs.pendingOf(owner, 10)).toBe(3)
      expect(await store().runs.pendingOf(owner, 2)).toBe(2)
      expect(await store().runs.pendingOf(null, 10)).toBe(1)
      expect(await store().runs.countByOwner('pending', 10)).toEqual([
        { owner, count: 3 },
        { owner: null, count: 1 },
      ])
      await store().runs.claim('w', LEASE_MS, { full: [null] })
      expect(await store().runs.countByOwner('running', 1)).toEqual([{ owner, count: 1 }])
      await drainQueue()
    })

    test('are dated by the clock of the store', async () => {
      await drainQueue()
      const id = await thread()
      const [run, other] = [runRow(id), runRow(id)]
      for (const one of [run, other]) await store().runs.insert(one)
      const times = [await store().now()]
      const { attempt, run_id, started_at } = (await store().runs.claim('w', LEASE_MS))!
      times.push(started_at!, await store().now())
      const settle = { status: 'success', thread_status: 'idle', error: null } as const
      await store().segments.append([appendOf(id, 1, 1, { fence: { run_id, attempt }, settle })])
      times.push((await store().runs.get(run_id))!.ended_at!, await store().now())
      await store().runs.cancelPending(other.run_id)
      times.push((await store().runs.get(other.run_id))!.ended_at!, await store().now())
      expect(times).toEqual(times.toSorted())
      for (const time of times) expect(time).toBe(new Date(time).toISOString())
    })

    test('are never claimed twice, nor two of one thread, by many workers at once', async () => {
      await drainQueue()
      const threads = await Promise.all(Array.from({ length: 8 }, () => thread()))
      for (const id of [...threads, ...threads]) await store().runs.insert(runRow(id))
      const taken = await Promise.all(
        Array.from({ length: 24 }, (_, i) => store().runs.claim(`w${i}`, LEASE_MS)),
      )
      const ids = taken.flatMap((run) => run?.thread_id ?? [])
      expect(ids.toSorted()).toEqual(threads.toSorted())
      await drainQueue()
    })

    test('whose lease expired are claimed again as the next attempt; a renewed one is not', async () => {
      const run = await claimed(await thread())
      expect(await store().runs.renew('w', LEASE_MS)).toEqual([{ run_id: run.run_id, attempt: 1 }])
      expect(await store().runs.claim('x', LEASE_MS)).toBeNull()
      await store().runs.renew('w', 20)
      await expect
        .poll(() => store().runs.claim('x', LEASE_MS), { timeout: 10_000 })
        .toMatchObject({ run_id: run.run_id, attempt: 2, crashes: 1 })
      expect(await store().runs.renew('w', LEASE_MS)).toEqual([])
      expect(await store().runs.release({ run_id: run.run_id, attempt: 1 })).toBe(false)
      expect(await store().runs.release({ run_id: run.run_id, attempt: 2 })).toBe(true)
      expect(await store().runs.get(run.run_id)).toMatchObject({ status: 'pending', attempt: 2 })
      await drainQueue()
    })

    test('of all workers are claimed again once all leases are expired', async () => {
      const run = await claimed(await thread())
      expect(await store().runs.expireAllLeases()).toBe(1)
      expect(await store().runs.claim('x', LEASE_MS)).toMatchObject({ run_id: run.run_id, attempt: 2 })
      await drainQueue()
    })

    test('whose worker expires its lease are claimed again at once, as after a crash', async () => {
      const run = await claimed(await thread())
      await store().runs.expireLease({ run_id: run.run_id, attempt: 9 })
      expect(await store().runs.claim('x', LEASE_MS)).toBeNull()
      await store().runs.expireLease({ run_id: run.run_id, attempt: 1 })
      expect(await store().runs.renew('w', LEASE_MS)).toEqual([])
      expect(await store().runs.claim('x', LEASE_MS)).toMatchObject({
        run_id: run.run_id,
        attempt: 2,
        crashes: 1,
      })
      await drainQueue()
    })

    test('wait for their next attempt as long as it takes, and their thread with them', async () => {
      const id = await thread()
      const run = await claimed(id)
      await store().runs.insert(runRow(id))
      await store().runs.expireLease({ run_id: run.run_id, attempt: 1 }, 60_000)
      expect(await store().runs.claim('x', LEASE_MS)).toBeNull()
      const wait = (await store().runs.nextDue())!
      expect(wait).toBeGreaterThan(50_000)
      expect(wait).toBeLessThanOrEqual(60_000)
      expect(await store().runs.renew('w', LEASE_MS)).toEqual([])
      await drainQueue()
    })

    test('forget their crashes once they have got somewhere', async () => {
      const { run_id } = await claimed(await thread())
      await store().runs.expireLease({ run_id, attempt: 1 })
      expect(await store().runs.claim('x', LEASE_MS)).toMatchObject({ run_id, crashes: 1 })
      await store().runs.resetCrashes({ run_id, attempt: 1 })
      expect(await store().runs.get(run_id)).toMatchObject({ crashes: 1 })
      await store().runs.resetCrashes({ run_id, attempt: 2 })
      expect(await store().runs.get(run_id)).toMatchObject({ crashes: 0 })
      await drainQueue()
    })

    test('are seized from no worker that holds them, and from any other', async () => {
      const id = await thread()
      const { run_id } = await claimed(id)
      expect(await store().runs.seize(run_id, 'x', LEASE_MS)).toBeNull()
      await store().runs.expireLease({ run_id, attempt: 1 }, LEASE_MS)
      expect(await store().runs.seize(run_id, 'x', 20)).toMatchObject({ run_id, attempt: 2, crashes: 0 })
      expect(await store().runs.renew('w', LEASE_MS)).toEqual([])
      await expect
        .poll(() => store().runs.seize(run_id, 'y', LEASE_MS), { timeout: 10_000 })
        .toMatchObject({ attempt: 3, crashes: 0 })
      await drainQueue()
      expect(await store().runs.seize(run_id, 'x', LEASE_MS)).toBeNull()
    })

    test('can be cancelled while pending, and only then', async () => {
      await drainQueue()
      const id = await thread()
      const [waiting, other] = [runRow(id), runRow(id)]
      await store().runs.insert(other)
      await store().runs.claim('w', LEASE_MS)
      await store().runs.insert(waiting)
      expect(await store().runs.pending()).toBe(1)
      expect([
        await store().runs.cancelPending(waiting.run_id),
        await store().runs.cancelPending(other.run_id),
      ]).toEqual([true, false])
      expect(await store().runs.pending()).toBe(0)
      await drainQueue()
    })

    test('of a worker that was late to renew are still its own when no other has claimed them', async () => {
      const { run_id } = await claimed(await thread())
      expect(await store().runs.renew('w', 1)).toEqual([{ run_id, attempt: 1 }])
      await tick()
      await tick()
      expect(await store().runs.renew('w', LEASE_MS)).toEqual([{ run_id, attempt: 1 }])
      expect(await store().runs.claim('x', LEASE_MS)).toBeNull()
      await drainQueue()
    })

    test('are listed by thread, the newest first, and by trace, the oldest first', async () => {
      await drainQueue()
      const id = await thread()
      const trace_id = freshId('trace')
      const made: string[] = []
      for (const second of [1, 2, 3]) {
        const run = runRow(id, { trace_id, created_at: `2020-01-01T00:00:0${second}.000Z` })
        expect(await store().runs.insert(run)).toBe(true)
        made.push(run.run_id)
        await drainQueue()
      }
      const idsOf = (runs: readonly { run_id: string }[]): string[] => runs.map(({ run_id }) => run_id)
      expect(idsOf(await store().runs.list(id, 10))).toEqual(made.toReversed())
      expect(idsOf(await store().runs.list(id, 2))).toEqual(made.toReversed().slice(0, 2))
      expect(idsOf(await store().runs.trace(trace_id))).toEqual(made)
      expect(await store().runs.active(id)).toEqual([])
    })

    test('note where they began, once', async () => {
      const run = await claimed(await thread())
      const { run_id } = run
      await store().runs.begin({ run_id, attempt: 9 }, 99, 'zombie')
      expect(await store().runs.get(run_id)).toMatchObject({ position: null, base_checkpoint: null })
      await store().runs.begin({ run_id, attempt: 1 }, 7, 'cp')
      await store().runs.expireLease({ run_id, attempt: 1 })
      await store().runs.claim('x', LEASE_MS)
      await store().runs.begin({ run_id, attempt: 2 }, 8, 'later')
      expect(await store().runs.get(run_id)).toMatchObject({ position: 7, base_checkpoint: 'cp' })
      await drainQueue()
    })
  })
}
