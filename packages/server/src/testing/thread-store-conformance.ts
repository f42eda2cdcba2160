import { describe, expect, test } from 'vitest'
import type { Thread } from '../store/store.ts'
import {
  bytesOf,
  freshId,
  hasState,
  runRow,
  saveState,
  threadRow,
  type StoreUnderTest,
} from './store-under-test.ts'

/** What every `ThreadStore` must do. */
export function threadStoreConformance({ store, thread }: StoreUnderTest): void {
  describe('threads', () => {
    test('are inserted once and changed field by field', async () => {
      const id = await thread({ title: 'one', metadata: { a: [1, null] } })
      expect(await store().threads.insert(threadRow(id, { title: 'two' }))).toBe(false)
      await store().threads.update(id, { status: 'busy' })
      expect(await store().threads.get(id)).toEqual(
        threadRow(id, { title: 'one', metadata: { a: [1, null] }, status: 'busy' }),
      )
      await store().threads.update('nobody', { title: 'three' })
      expect(await store().threads.get('nobody')).toBeNull()
    })

    test('are listed newest first, by owner, status and text, page by page', async () => {
      const owner = freshId('owner')
      const ids: string[] = []
      for (const n of [1, 2, 3, 4, 5]) {
        ids.unshift(
          await thread({ owner, title: `100% of_it ${n}`, updated_at: `2026-02-0${n}T00:00:00.000Z` }),
        )
      }
      const seen: string[] = []
      let before: { updated_at: string; thread_id: string } | undefined
      for (;;) {
        const page = await store().threads.list({ owner, limit: 2, ...(before && { before }) })
        if (page.length === 0) break
        seen.push(...page.map((one) => one.thread_id))
        before = page.at(-1)
      }
      expect(seen).toEqual(ids)
      const found = async (query: string): Promise<number> =>
        (await store().threads.list({ owner, query, limit: 9 })).length
      expect([
        await found('100% of_it'),
        await found('OF_IT 3'),
        await found('100_'),
        await found('%it'),
      ]).toEqual([5, 1, 0, 0])
      expect(await found(ids[0]!.toUpperCase())).toBe(1)
      expect(await store().threads.list({ owner, status: 'busy', limit: 9 })).toEqual([])
    })

    test('of one moment are on one page each', async () => {
      const owner = freshId('owner')
      const ids = new Set<string>()
      for (let i = 0; i < 5; i++) ids.add(await thread({ owner }))
      const seen: string[] = []
      for (let before: Thread | undefined; ;) {
        const page = await store().threads.list({ owner, limit: 2, ...(before && { before }) })
        if (page.length === 0) break
        seen.push(...page.map(({ thread_id }) => thread_id))
        before = page.at(-1)
      }
      expect(seen).toHaveLength(5)
      expect(new Set(seen)).toEqual(ids)
    })

    test('take their runs, their log and their states with them', async () => {
      const id = await thread()
      const run = runRow(id)
      await store().runs.insert(run)
      await store().segments.append([{ thread_id: id, first: 1, last: 1, bytes: bytesOf('x') }])
      await saveState(store(), id)
      await store().threads.remove(id)
      expect([
        await store().threads.get(id),
        await store().runs.get(run.run_id),
        await store().segments.last(id),
        await hasState(store(), id),
      ]).toEqual([null, null, 0, false])
    })

    test('begin without the states that a crash has left under their id', async () => {
      const id = freshId('thread')
      await saveState(store(), id)
      expect(await store().threads.insert(threadRow(id))).toBe(true)
      expect(await hasState(store(), id)).toBe(false)
    })

    test('keep their states when their id is asked for again', async () => {
      const id = await thread()
      await saveState(store(), id)
      expect(await store().threads.insert(threadRow(id))).toBe(false)
      expect(await hasState(store(), id)).toBe(true)
    })
  })
}
