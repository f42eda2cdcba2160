import { ownerText, RUN_COLUMNS, runOf, type RunRow, URGENCIES } from '../run-row.ts'
import type { Run, Turn } from '../store.ts'
import { NOW, nowPlus } from './pg-clock.ts'
import { codeOf, type Database, type Queries } from './pg-database.ts'

// SKIP LOCKED everywhere: workers pass each other instead of queueing up behind one row.
const LOST = `
  SELECT run_id FROM clewline.runs WHERE status = 'running' AND (lease_until IS NULL OR lease_until <= ${NOW})
  ORDER BY lease_until NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED`

// Those that were to begin at once are due whatever has become of the clock; those of a later time when it has come.
const head = (isDelayed: boolean): string => `
  SELECT run_id, run_at, id FROM clewline.runs AS wanted
  WHERE status = 'pending' AND owner = turn.owner AND urgency = level.urgency
    AND (run_at > created_at) = ${isDelayed} ${isDelayed ? `AND run_at <= ${NOW}` : ''}
    AND NOT EXISTS (
      SELECT 1 FROM clewline.runs AS busy WHERE busy.thread_id = wanted.thread_id AND busy.status = 'running')
  ORDER BY run_at, id LIMIT 1 FOR UPDATE SKIP LOCKED`

/**
 * A loose index scan: from owner to owner, in order, until one has a run that can be taken. Postgres computes a recursive
 * query row by row as they are asked for, so that it stops there; every step is one in the index `runs_turn`, however
 * many runs wait.
 */
const inTurn = (range: string): string => `
  WITH RECURSIVE turns (owner) AS (
    (SELECT owner FROM clewline.runs WHERE status = 'pending' ${range} ORDER BY owner LIMIT 1)
    UNION ALL
    SELECT next.owner FROM turns CROSS JOIN LATERAL (
      SELECT owner FROM clewline.runs WHERE status = 'pending' AND owner > turns.owner ${range}
      ORDER BY owner LIMIT 1) AS next
  )
  SELECT first.run_id FROM turns AS turn
    CROSS JOIN LATERAL (VALUES ${URGENCIES.map((urgency) => `(${urgency})`).join(', ')}) AS level (urgency)
    CROSS JOIN LATERAL (
      SELECT run_id FROM (SELECT * FROM (${head(false)}) AS soon UNION ALL SELECT * FROM (${head(true)}) AS later) AS either ORDER BY run_at, id LIMIT 1) AS first
  WHERE turn.owner <> ALL ($1::text[]) LIMIT 1`

const FROM_THE_FIRST = inTurn('')
const AFTER = inTurn('AND owner > $2')
const UP_TO = inTurn('AND owner <= $2')

const TAKE = `
  UPDATE clewline.runs SET status = 'running', attempt = attempt + 1, crashes = crashes + $3, worker = $1,
    lease_until = ${nowPlus('$2')}, started_at = coalesce(started_at, ${NOW})
  WHERE run_id = $4 RETURNING ${RUN_COLUMNS}`

const UNIQUE_VIOLATION = '23505'

export async function pgClaim(
  database: Database,
  worker: string,
  leaseMs: number,
  turn: Turn = {},
): Promise<Run | null> {
  for (;;) {
    try {
      return await database.transaction((queries) => claimOnce(queries, worker, leaseMs, turn))
    } catch (error) {
      // Two workers took two runs of one thread at the same moment; the index let one of them have it.
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error
    }
  }
}

async function claimOnce(queries: Queries, worker: string, leaseMs: number, turn: Turn): Promise<Run | null> {
  const lost = await queries.one<Found>(LOST)
  const found = lost ?? (await dueInTurn(queries, turn))
  if (found === undefined) return null
  const row = await queries.one<RunRow>(TAKE, [worker, leaseMs, lost === undefined ? 0 : 1, found.run_id])
  if (row === undefined) return null
  await queries.run(`UPDATE clewline.threads SET status = 'busy', updated_at = ${NOW} WHERE thread_id = $1`, [
    row.thread_id,
  ])
  return runOf(row)
}

interface Found {
  readonly run_id: string
}

async function dueInTurn(queries: Queries, { after, full = [] }: Turn): Promise<Found | undefined> {
  const isFull = full.map(ownerText)
  if (after === undefined) return await queries.one<Found>(FROM_THE_FIRST, [isFull])
  const last = ownerText(after)
  return (
    (await queries.one<Found>(AFTER, [isFull, last])) ?? (await queries.one<Found>(UP_TO, [isFull, last]))
  )
}
