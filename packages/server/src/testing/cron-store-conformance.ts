import { describe, expect, test } from 'vitest'
import { cronRow, freshId, FUTURE, type StoreUnderTest } from './store-under-test.ts'

/** What every `CronStore` must do. */
export function cronStoreConformance({ store }: StoreUnderTest): void {
  describe('crons', () => {
    test('are due when their time has come, and moved on by one process only', async () => {
      const [cron, later] = [cronRow(), cronRow({ next_at: FUTURE })]
      expect(await store().crons.insert(cron)).toBe(true)
      expect(await store().crons.insert(later)).toBe(true)
      expect(await store().crons.insert({ ...cron, next_at: FUTURE })).toBe(false)
      expect(await store().crons.due(10)).toEqual([cron])
      expect(await store().crons.nextAt()).toBe(cron.next_at)
      const before = await store().now()
      const won = await Promise.all([1, 2, 3, 4].map((n) => store().crons.advance(cron, FUTURE, `run-${n}`)))
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await store().crons.due(10)).toEqual([])
      expect(await store().crons.nextAt()).toBe(FUTURE)
      const moved = await store().crons.get(cron.cron_id)
      expect(moved).toMatchObject({ next_at: FUTURE, last_run_id: `run-${won.indexOf(true) + 1}` })
      expect([before, moved!.last_at!, await store().now()].toSorted()[1]).toBe(moved!.last_at)
    })

    test('are listed page by page, the oldest first, and at most as many are due as are asked for', async () => {
      const owner = freshId('owner')
      const ids = ['a', 'b', 'c'].map((name) => `${owner}-${name}`)
      for (const cron_id of ids.toReversed()) await store().crons.insert(cronRow({ cron_id, owner }))
      const first = await store().crons.list(owner, { limit: 2 })
      expect(first.map(({ cron_id }) => cron_id)).toEqual(ids.slice(0, 2))
      const rest = await store().crons.list(owner, { limit: 2, after: first[1]! })
      expect(rest.map(({ cron_id }) => cron_id)).toEqual(ids.slice(2))
      expect(await store().crons.due(2)).toHaveLength(2)
      for (const cron_id of ids) await store().crons.remove(cron_id)
    })

    test('are listed by owner and removed', async () => {
      const owner = freshId('owner')
      const cron = cronRow({ owner })
      await store().crons.insert(cron)
      expect(await store().crons.list(owner)).toEqual([cron])
      expect(await store().crons.count(owner)).toBe(1)
      expect([await store().crons.remove(cron.cron_id), await store().crons.remove(cron.cron_id)]).toEqual([
        true,
        false,
      ])
    })
  })
}
