import { describe, expect, test } from 'vitest'
import { appendOf, bytesOf, freshId, LEASE_MS, type StoreUnderTest } from './store-under-test.ts'

/** What every `SegmentStore` must do. */
export function segmentStoreConformance({ store, thread, claimed, drainQueue }: StoreUnderTest): void {
  describe('segments', () => {
    test('stand without a gap: an append elsewhere than at the end is refused, the others stand', async () => {
      const [a, b] = [await thread(), await thread()]
      const answers = await store().segments.append([
        appendOf(a, 1, 3),
        appendOf(b, 2, 2),
        appendOf(a, 4, 4),
        appendOf(a, 4, 5),
      ])
      expect(answers).toEqual([true, false, true, false])
      expect([await store().segments.last(a), await store().segments.last(b)]).toEqual([4, 0])
    })

    test('are read from the row that holds the next position, in pages', async () => {
      const id = await thread()
      await store().segments.append(
        Array.from({ length: 30 }, (_, i) =>
          appendOf(id, i * 10 + 1, i * 10 + 10, { bytes: new Uint8Array(100).fill(i) }),
        ),
      )
      const page = await store().segments.read(id, 25, 250)
      expect(page.map(({ first, last }) => [first, last])).toEqual([
        [21, 30],
        [31, 40],
        [41, 50],
      ])
      expect([...page[0]!.bytes.subarray(0, 2)]).toEqual([2, 2])
      expect(await store().segments.read(id, 299, 1)).toHaveLength(1)
      expect(await store().segments.read(id, 300, 1)).toEqual([])
    })

    test('of a run are refused once another attempt has it', async () => {
      const run = await claimed(await thread())
      const fence = { run_id: run.run_id, attempt: 1 }
      expect(await store().segments.append([appendOf(run.thread_id, 1, 1, { fence })])).toEqual([true])
      await store().runs.expireLease(fence)
      await store().runs.claim('x', LEASE_MS)
      expect(await store().segments.append([appendOf(run.thread_id, 2, 2, { fence })])).toEqual([false])
      expect(
        await store().segments.append([appendOf(run.thread_id, 2, 2, { fence: { ...fence, attempt: 2 } })]),
      ).toEqual([true])
      await store().runs.release({ run_id: run.run_id, attempt: 2 })
      await drainQueue()
    })

    test('end their run in the same transaction', async () => {
      const run = await claimed(await thread())
      const fence = { run_id: run.run_id, attempt: 1 }
      const settle = {
        status: 'error',
        thread_status: 'error',
        error: { name: 'E', message: 'm' },
      } as const
      expect(await store().segments.append([appendOf(run.thread_id, 1, 1, { fence, settle })])).toEqual([
        true,
      ])
      expect(await store().runs.get(run.run_id)).toMatchObject({
        status: 'error',
        error: { name: 'E', message: 'm' },
        ended_at: expect.any(String),
        end_position: 1,
      })
      expect(await store().threads.get(run.thread_id)).toMatchObject({ status: 'error' })
      expect(await store().segments.append([appendOf(run.thread_id, 2, 2, { fence })])).toEqual([false])
    })

    test('are counted in bytes by owner: those of a run when it ends, less what compaction saves', async () => {
      const owner = freshId('owner')
      const bytes = (): Promise<number> => store().threads.logBytes(owner)
      const { run_id, thread_id } = await claimed(await thread({ owner }))
      const fence = { run_id, attempt: 1 }
      await store().runs.begin(fence, 0, null)
      await store().segments.append([appendOf(thread_id, 1, 2, { bytes: bytesOf('x'.repeat(100)), fence })])
      expect(await bytes()).toBe(0)
      const settle = { status: 'success', thread_status: 'idle', error: null } as const
      const last = { bytes: bytesOf('x'.repeat(50)), fence, settle }
      await store().segments.append([appendOf(thread_id, 3, 4, last)])
      expect(await bytes()).toBe(150)
      await store().segments.replace(thread_id, 1, 4, [{ first: 1, last: 4, bytes: bytesOf('less') }])
      expect(await bytes()).toBe(4)
      await store().segments.append([appendOf(thread_id, 5, 5, { bytes: bytesOf('edit') })])
      expect(await bytes()).toBe(8)
      await store().threads.remove(thread_id)
      expect(await bytes()).toBe(0)
      await drainQueue()
    })

    test('are replaced as a whole by compaction', async () => {
      const id = await thread()
      await store().segments.append([appendOf(id, 1, 2), appendOf(id, 3, 4), appendOf(id, 5, 6)])
      const both = [{ first: 1, last: 4, bytes: bytesOf('both') }]
      expect(await store().segments.replace(id, 1, 4, both)).toBe(true)
      const rows = await store().segments.read(id, 0, 1_000)
      expect(rows.map((row) => [row.first, row.last, new TextDecoder().decode(row.bytes)])).toEqual([
        [1, 4, 'both'],
        [5, 6, '5-6'],
      ])
    })

    test('that are not those which were read are not replaced: another process was faster', async () => {
      const id = await thread()
      await store().segments.append([appendOf(id, 1, 4), appendOf(id, 5, 6), appendOf(id, 7, 8)])
      for (const [first, last] of [
        [1, 2],
        [1, 5],
        [2, 6],
        [7, 9],
      ] as const) {
        const rows = [{ first, last, bytes: bytesOf('stale') }]
        expect(await store().segments.replace(id, first, last, rows)).toBe(false)
      }
      const rows = await store().segments.read(id, 0, 1_000)
      expect(rows.map(({ first, last }) => [first, last])).toEqual([
        [1, 4],
        [5, 6],
        [7, 8],
      ])
    })

    test('are removed without their thread, which then begins anew', async () => {
      const id = await thread()
      await store().segments.append([appendOf(id, 1, 2)])
      await store().segments.remove(id)
      expect([await store().segments.last(id), await store().segments.read(id, 0, 1_000)]).toEqual([0, []])
      expect(await store().segments.append([appendOf(id, 1, 1)])).toEqual([true])
      expect(await store().threads.get(id)).not.toBeNull()
    })

    test('know which of their rows has a part, and bring the rows before it along', async () => {
      const id = await thread()
      const other = await thread()
      const size = bytesOf('1-1').length
      await store().segments.append([
        appendOf(id, 1, 1, { parts: ['a', 'b'] }),
        appendOf(id, 2, 2),
        appendOf(id, 3, 3, { parts: ['c', 'a'] }),
        appendOf(id, 4, 4, { parts: ['d'] }),
        appendOf(other, 1, 1, { parts: ['a'] }),
      ])
      const firsts = async (names: string[], bytes = 0): Promise<number[]> =>
        (await store().segments.rowsOfParts(id, names, bytes)).map(({ first }) => first)
      expect([...(await store().segments.partNames(id, 4))].sort()).toEqual(['a', 'b', 'c', 'd'])
      expect([...(await store().segments.partNames(id, 1))].sort()).toEqual(['a', 'b'])
      expect(await firsts(['d', 'a', 'nowhere'])).toEqual([1, 4])
      expect(await firsts(['d'], size)).toEqual([3, 4])
      expect(await firsts(['d'], 100 * size)).toEqual([1, 3, 4])
      expect(await firsts(['nowhere'], 100)).toEqual([])
    })

    test('take the index of their parts along when they are replaced or removed', async () => {
      const id = await thread()
      const names = async (): Promise<string[]> => [...(await store().segments.partNames(id, 99))].sort()
      await store().segments.append([
        appendOf(id, 1, 2, { parts: ['a', 'b'] }),
        appendOf(id, 3, 4, { parts: ['c'] }),
        appendOf(id, 5, 6, { parts: ['d'] }),
      ])
      await store().segments.replace(id, 1, 4, [
        { first: 1, last: 4, bytes: bytesOf('both'), parts: ['a', 'c', 'd'] },
      ])
      expect(await names()).toEqual(['a', 'c', 'd'])
      expect((await store().segments.rowsOfParts(id, ['d', 'c'], 0)).map(({ first }) => first)).toEqual([1])
      await store().segments.remove(id)
      expect(await names()).toEqual([])
      await store().segments.append([appendOf(id, 1, 1, { parts: ['a'] })])
      await store().threads.remove(id)
      expect(await names()).toEqual([])
    })

    test('of a thread that was removed meanwhile are not brought back by compaction', async () => {
      const id = await thread()
      await store().segments.append([appendOf(id, 1, 2)])
      await store().threads.remove(id)
      const again = [{ first: 1, last: 2, bytes: bytesOf('again') }]
      expect(await store().segments.replace(id, 1, 2, again)).toBe(false)
      expect(await store().segments.read(id, 0, 1_000)).toEqual([])
    })
  })
}
