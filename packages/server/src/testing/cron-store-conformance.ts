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
      expect(await store().crons.due()).toEqual([cron])
      const before = await store().now()
      const won = await Promise.all([1, 2, 3, 4].map((n) => store().crons.advance(cron, FUTURE, `run-${n}`)))
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await store().crons.due()).toEqual([])
      const moved = await store().crons.get(cron.cron_id)
      expect(moved).toMatchObject({ next_at: FUTURE, last_run_id: `run-${won.indexOf(true) + 1}` })
      expect([before, moved!.last_at!, await store().now()].toSorted()[1]).toBe(moved!.last_at)
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
