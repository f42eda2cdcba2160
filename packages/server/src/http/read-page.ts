/** One answer holds rows of at most about so many characters, and always at least one row. */
export const PAGE_CHARACTERS = 4 * 1024 * 1024

/** Rows that are read before anything is known of their size. */
const FIRST_BATCH = 2

export interface PageRequest<Row> {
  readonly limit: number
  /** Characters of what may be large in a row. */
  readonly sizeOf: (row: Row) => number
  /** At most `count` rows after one of them, or from the start. */
  readonly read: (count: number, after: Row | undefined) => Promise<readonly Row[]>
}

/**
 * A page that is bounded by rows and by size, whichever comes first. Read in batches, so that a list of large rows is
 * never in memory as a whole; rows of the usual size take two.
 */
export async function readPage<Row>({
  limit,
  sizeOf,
  read,
}: PageRequest<Row>): Promise<{ rows: readonly Row[]; hasMore: boolean }> {
  const rows: Row[] = []
  let size = 0
  let batch = FIRST_BATCH
  for (;;) {
    // One more than the limit tells whether there is a next page.
    const wanted = Math.min(batch, limit + 1 - rows.length)
    const found = await read(wanted, rows.at(-1))
    for (const row of found) {
      size += sizeOf(row)
      if (rows.length === limit || (rows.length > 0 && size > PAGE_CHARACTERS)) return { rows, hasMore: true }
      rows.push(row)
    }
    if (found.length < wanted) return { rows, hasMore: false }
    const usual = Math.max(1, size / rows.length)
    batch = Math.max(1, Math.floor((PAGE_CHARACTERS - size) / usual))
  }
}
