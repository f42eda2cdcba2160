import type { Entry } from '@skein/core'
import { entriesOf, segmentOf } from '../log/frames.ts'
import type { Run, Segment } from '../store/store.ts'
import { foldTokens } from './fold-tokens.ts'
import { type Parts, threadOf } from './parts.ts'

const ROW = 512
const PAGE_BYTES = 1024 * 1024

export interface Compaction {
  /** Folds the tokens of a thread's finished runs. Resolves with how many envelopes the log has less. */
  compact(thread_id: string, owner?: string): Promise<number>
  stop(): void
}

/** Makes the logs of finished runs small: a run of 20,000 tokens becomes some hundred envelopes that read the same. */
export function createCompaction(parts: Parts, afterSeconds: number | undefined): Compaction {
  const timers = new Set<NodeJS.Timeout>()
  const unsubscribe = parts.bus.subscribe((change) => {
    if (afterSeconds === undefined || change.type !== 'run' || !isFinished(change.run)) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      // The thread may be gone by then, and the log is right either way.
      compactRun(parts, change.run).catch(() => {})
    }, afterSeconds * 1000)
    timer.unref()
    timers.add(timer)
  })
  return {
    async compact(thread_id, owner) {
      await threadOf(parts, thread_id, owner)
      let saved = 0
      for (const run of await parts.store.runs.list(thread_id, 10_000)) {
        if (isFinished(run)) saved += await compactRun(parts, run)
      }
      return saved
    },
    stop() {
      unsubscribe()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

function isFinished({ status, position, end_position }: Run): boolean {
  return (
    (status === 'success' || status === 'error' || status === 'cancelled') &&
    position !== null &&
    end_position !== null
  )
}

/** A run begins and ends with a row of the log, so that its rows can be replaced without touching any other. */
async function compactRun(parts: Parts, run: Run): Promise<number> {
  const { thread_id, position, end_position } = run
  if (position === null || end_position === null || end_position <= position) return 0
  const entries = await entriesBetween(parts, thread_id, position, end_position)
  const folded = foldTokens(entries)
  if (folded.length === entries.length) return 0
  const rows: Segment[] = []
  let first = position + 1
  for (let from = 0; from < folded.length; from += ROW) {
    const row = segmentOf(folded.slice(from, from + ROW), first)
    rows.push(row)
    first = row.last + 1
  }
  await parts.store.segments.replace(thread_id, position + 1, end_position, rows)
  return entries.length - folded.length
}

async function entriesBetween(parts: Parts, thread: string, after: number, last: number): Promise<Entry[]> {
  const entries: Entry[] = []
  let position = after
  while (position < last) {
    const segments = await parts.store.segments.read(thread, position, PAGE_BYTES)
    if (segments.length === 0) break
    for (const segment of segments) {
      entries.push(...entriesOf(segment, position).filter((entry) => entry.position <= last))
      position = segment.last
    }
  }
  return entries
}
