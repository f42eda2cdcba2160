import type { Priority, Request, Run, RunError, RunSummary } from './store.ts'

/** A run as SQL stores hold it. Postgres hands 64-bit numbers over as text. */
export interface RunRow extends Omit<Run, 'owner' | 'request' | 'error' | 'position' | 'end_position'> {
  /** Empty for none, so that indexes and turns need no exception for it. */
  readonly owner: string
  readonly request: string
  readonly error: string | null
  readonly position: number | string | null
  readonly end_position: number | string | null
}

/** A run without its request. */
export type SummaryRow = Omit<RunRow, 'request'> & { readonly kind: Request['kind'] }

export const RUN_COLUMNS =
  'run_id, thread_id, trace_id, agent, owner, priority, status, request, attempt, created_at, started_at, ended_at, run_at, cron_id, error, crashes, position, end_position, base_checkpoint'

/**
 * The columns of a summary. `kind` is what a request begins with, so that its start is enough; `older` is how the database
 * finds it in requests of before, which began with something else.
 */
export function summaryColumns(older: string): string {
  const kind = `CASE substr(request, 1, 15)
    WHEN '{"kind":"input"' THEN 'input' WHEN '{"kind":"resume' THEN 'resume' ELSE ${older} END AS kind`
  return RUN_COLUMNS.replace('request', kind)
}

/** How soon a pending run of an owner goes, the highest first. What a drained worker gave back: its thread is in the middle of it. */
export const GIVEN_BACK = 3
export const URGENCIES: readonly number[] = [GIVEN_BACK, 2, 1, 0]
const URGENCY: Readonly<Record<Priority, number>> = { low: 0, normal: 1, high: 2 }

/** As SQL stores hold it. */
export const ownerText = (owner: string | null): string => owner ?? ''
export const ownerOf = (text: string): string | null => (text === '' ? null : text)

/** As SQL stores hold it: `kind` comes first, so that the start of the text says it. */
export function requestText({ kind, ...asked }: Request): string {
  return JSON.stringify({ kind, ...asked })
}

/** In the order of `RUN_COLUMNS`, then the urgency. `request` stands in the place of the request. */
export function runValues(run: Run, request = requestText(run.request)): (string | number | null)[] {
  return [
    run.run_id,
    run.thread_id,
    run.trace_id,
    run.agent,
    ownerText(run.owner),
    run.priority,
    run.status,
    request,
    run.attempt,
    run.created_at,
    run.started_at,
    run.ended_at,
    run.run_at,
    run.cron_id,
    run.error === null ? null : JSON.stringify(run.error),
    run.crashes,
    run.position,
    run.end_position,
    run.base_checkpoint,
    URGENCY[run.priority],
  ]
}

export function runOf(row: RunRow): Run {
  const request: Request = JSON.parse(row.request)
  return { ...factsOf(row), request }
}

export function summaryOf(row: SummaryRow): RunSummary {
  return factsOf(row)
}

/** What is no text in a `Run`. */
function factsOf<Row extends Omit<RunRow, 'request'>>(row: Row) {
  const error: RunError | null = row.error === null ? null : JSON.parse(row.error)
  return {
    ...row,
    owner: ownerOf(row.owner),
    error,
    position: numberOf(row.position),
    end_position: numberOf(row.end_position),
  }
}

const numberOf = (value: number | string | null): number | null => (value === null ? null : Number(value))
