import { expect, test } from 'vitest'
import { PAGE_CHARACTERS, readPage } from './read-page.ts'

/** Rows are their own sizes; `reads` notes how many were asked for at once. */
function listOf(sizes: readonly number[]) {
  const rows = sizes.map((size, index) => ({ size, index }))
  const reads: number[] = []
  return {
    reads,
    page: (limit: number, from = -1) =>
      readPage<{ size: number; index: number }>({
        limit,
        sizeOf: ({ size }) => size,
        async read(count, after) {
          reads.push(count)
          return rows.filter(({ index }) => index > (after?.index ?? from)).slice(0, count)
        },
      }),
  }
}

const HALF = PAGE_CHARACTERS / 2

test.each<[string, number[], number, number, boolean]>([
  ['nothing', [], 10, 0, false],
  ['fewer than the limit', [1, 1, 1], 10, 3, false],
  ['exactly the limit', [1, 1, 1], 3, 3, false],
  ['more than the limit', [1, 1, 1, 1], 3, 3, true],
  ['exactly the size', [HALF, HALF], 10, 2, false],
  ['more than the size', [HALF, HALF, 1], 10, 2, true],
  ['one row that is larger than a page', [3 * HALF], 10, 1, false],
  ['rows that are each larger than a page', [3 * HALF, 3 * HALF], 10, 1, true],
  ['more rows than a batch', Array(300).fill(100), 200, 200, true],
])('%s', async (_name, sizes, limit, count, hasMore) => {
  const { rows, hasMore: more } = await listOf(sizes).page(limit)
  expect([rows.length, more]).toEqual([count, hasMore])
})

test('rows of the usual size take two reads, and large ones are never read many at once', async () => {
  const usual = listOf(Array(300).fill(100))
  await usual.page(200)
  expect(usual.reads).toEqual([2, 199])
  const large = listOf(Array(300).fill(HALF / 4))
  await large.page(200)
  expect(large.reads).toEqual([2, 6, 1])
})

test('page by page every row comes once', async () => {
  const list = listOf(Array.from({ length: 50 }, (_, i) => (i % 7) * 700_000))
  const seen: number[] = []
  for (let from = -1, isMore = true; isMore; from = seen.at(-1)!) {
    const { rows, hasMore } = await list.page(9, from)
    seen.push(...rows.map(({ index }) => index))
    isMore = hasMore
  }
  expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i))
})
