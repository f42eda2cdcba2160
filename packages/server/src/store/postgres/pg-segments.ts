import type { Append, Fence, NewSegment, Segment, SegmentStore } from '../store.ts'
import { NOW } from './pg-clock.ts'
import type { Database, Queries } from './pg-database.ts'
import { notify } from './pg-notices.ts'

interface Row {
  first: string
  last: string
  bytes: Buffer
}

// Locked, so that no other worker claims a run meanwhile; in the order of their ids, as every transaction that locks
// several runs does: different orders would deadlock.
const HOLD = `
  SELECT run_id, attempt FROM clewline.runs WHERE run_id = ANY($1) AND status = 'running'
  ORDER BY run_id FOR NO KEY UPDATE`

// Only at the end of the log. A rival append at the same place loses on the primary key.
const APPEND = `
  INSERT INTO clewline.segments (thread_id, first, last, bytes)
  SELECT $1, $2, $3, $4
  WHERE coalesce((SELECT last FROM clewline.segments WHERE thread_id = $1 ORDER BY first DESC LIMIT 1), 0) = $2::bigint - 1
  ON CONFLICT DO NOTHING`

const ADD_BYTES = 'UPDATE clewline.threads SET log_bytes = log_bytes + $2 WHERE thread_id = $1'

// Where a part stands twice, the first place counts.
const INDEX_PARTS = `
  INSERT INTO clewline.parts (thread_id, name, first) SELECT $1, unnest($2::text[]), $3
  ON CONFLICT (thread_id, name) DO UPDATE SET first = least(parts.first, excluded.first)`

// The rows of the parts, and as many of those before them as fit.
const ROWS_OF_PARTS = `
  WITH places AS (SELECT DISTINCT first FROM clewline.parts WHERE thread_id = $1 AND name = ANY($2)),
  near AS (
    SELECT DISTINCT first FROM clewline.parts
    WHERE $3::bigint > 0 AND thread_id = $1 AND first < (SELECT min(first) FROM places) ORDER BY first DESC LIMIT 256)
  SELECT first, last, bytes FROM clewline.segments
  WHERE thread_id = $1 AND first IN (SELECT first FROM places)
  UNION ALL
  SELECT first, last, bytes FROM (
    SELECT first, last, bytes, sum(length(bytes)) OVER (ORDER BY first DESC) AS total
    FROM clewline.segments WHERE thread_id = $1 AND first IN (SELECT first FROM near)) AS sized
  WHERE total <= $3::bigint
  ORDER BY first`

/** `self` names this process in the notices that it sends. */
export function pgSegments(database: Database, self: string): SegmentStore {
  async function hold(queries: Queries, appends: readonly Append[]): Promise<(fence: Fence) => boolean> {
    const ids = new Set(appends.flatMap(({ fence }) => fence?.run_id ?? []))
    const held = ids.size === 0 ? [] : await queries.all<Fence>(HOLD, [[...ids]])
    const attempts = new Map(held.map(({ run_id, attempt }) => [run_id, attempt]))
    return ({ run_id, attempt }) => attempts.get(run_id) === attempt
  }

  async function appendOne(queries: Queries, append: Append): Promise<boolean> {
    const { thread_id, first, last, bytes, fence, settle } = append
    if (last >= first) {
      if ((await queries.run(APPEND, [thread_id, first, last, bytes])) === 0) return false
      await indexParts(queries, thread_id, append)
      // Once per flush, never per token: NOTIFY takes a lock that all committing transactions share.
      await notify(queries, self, { kind: 'log', thread_id, last })
      // Those of a run are added once, when it ends.
      if (fence === undefined) await queries.run(ADD_BYTES, [thread_id, bytes.length])
    }
    return settle === undefined || fence === undefined ? true : settleRun(queries, append)
  }

  async function settleRun(queries: Queries, { thread_id, last, fence, settle }: Append): Promise<boolean> {
    if (fence === undefined || settle === undefined) return true
    const error = settle.error === null ? null : JSON.stringify(settle.error)
    const settled = await queries.run(
      `UPDATE clewline.runs SET status = $3, error = $4, ended_at = ${NOW}, end_position = $5, worker = NULL, lease_until = NULL
       WHERE run_id = $1 AND attempt = $2 AND status = 'running'`,
      [fence.run_id, fence.attempt, settle.status, error, last],
    )
    if (settled === 0) return false
    await queries.run(
      `UPDATE clewline.threads SET status = $2, updated_at = ${NOW}, log_bytes = log_bytes + coalesce(
         (SELECT sum(length(bytes)) FROM clewline.segments WHERE thread_id = $1
            AND first > (SELECT coalesce(position, $4) FROM clewline.runs WHERE run_id = $3)), 0)
       WHERE thread_id = $1`,
      [thread_id, settle.thread_status, fence.run_id, last],
    )
    return true
  }

  return {
    append: (appends) =>
      database.transaction(async (queries) => {
        const isHeld = await hold(queries, appends)
        const answers: boolean[] = []
        for (const append of appends) {
          const may = append.fence === undefined || isHeld(append.fence)
          answers.push(may && (await appendOne(queries, append)))
        }
        return answers
      }),
    async read(thread_id, after, bytes) {
      // The running sum stops the scan after the row that fills the page; the row that holds `after + 1` starts at or before it.
      const rows = await database.all<Row>(
        `SELECT first, last, bytes FROM (
           SELECT first, last, bytes, sum(length(bytes)) OVER (ORDER BY first) - length(bytes) AS before
           FROM clewline.segments
           WHERE thread_id = $1 AND last > $2 AND first >= coalesce(
             (SELECT first FROM clewline.segments WHERE thread_id = $1 AND first <= $2::bigint + 1 ORDER BY first DESC LIMIT 1), 0)
           ORDER BY first LIMIT 256) AS page
         WHERE before < $3 ORDER BY first`,
        [thread_id, after, bytes],
      )
      return rows.map(segmentOf)
    },
    async last(thread_id) {
      const sql = 'SELECT last FROM clewline.segments WHERE thread_id = $1 ORDER BY first DESC LIMIT 1'
      return Number((await database.one<{ last: string }>(sql, [thread_id]))?.last ?? 0)
    },
    replace: (thread_id, first, last, segments) =>
      database.transaction(async (queries) => {
        const rows = await queries.all<Pick<Row, 'first' | 'last'> & { size: number }>(
          `SELECT first, last, length(bytes) AS size FROM clewline.segments
           WHERE thread_id = $1 AND first >= $2 AND first <= $3 AND last <= $3 ORDER BY first FOR UPDATE`,
          [thread_id, first, last],
        )
        const covered = rows.reduce((sum, row) => sum + Number(row.last) - Number(row.first) + 1, 0)
        if (covered !== last - first + 1) return false
        await queries.run(
          'DELETE FROM clewline.segments WHERE thread_id = $1 AND first >= $2 AND first <= $3',
          [thread_id, first, last],
        )
        await queries.run('DELETE FROM clewline.parts WHERE thread_id = $1 AND first >= $2 AND first <= $3', [
          thread_id,
          first,
          last,
        ])
        for (const segment of segments) {
          await queries.run(
            'INSERT INTO clewline.segments (thread_id, first, last, bytes) VALUES ($1, $2, $3, $4)',
            [thread_id, segment.first, segment.last, segment.bytes],
          )
          await indexParts(queries, thread_id, segment)
        }
        const size = segments.reduce((sum, { bytes }) => sum + bytes.length, 0)
        await queries.run(ADD_BYTES, [thread_id, size - rows.reduce((sum, row) => sum + row.size, 0)])
        return true
      }),
    async remove(thread_id) {
      await database.transaction(async (queries) => {
        for (const table of ['segments', 'parts'])
          await queries.run(`DELETE FROM clewline.${table} WHERE thread_id = $1`, [thread_id])
      })
    },
    async partNames(thread_id, last) {
      const sql = 'SELECT name FROM clewline.parts WHERE thread_id = $1 AND first <= $2'
      return (await database.all<{ name: string }>(sql, [thread_id, last])).map(({ name }) => name)
    },
    async rowsOfParts(thread_id, names, bytes) {
      return (await database.all<Row>(ROWS_OF_PARTS, [thread_id, names, bytes])).map(segmentOf)
    },
  }
}

async function indexParts(
  queries: Queries,
  thread_id: string,
  { parts = [], first }: NewSegment,
): Promise<void> {
  if (parts.length > 0) await queries.run(INDEX_PARTS, [thread_id, parts, first])
}

function segmentOf(row: Row): Segment {
  return { first: Number(row.first), last: Number(row.last), bytes: row.bytes }
}
