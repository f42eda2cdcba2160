import type { Entry } from '@clewline/core'
import type { Rewriter } from '../log/rewriter.ts'
import type { Run } from '../store/store.ts'
import { foldTokens } from '@clewline/core/read'
import { requireThread } from './require-thread.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** Runs that are looked at in one go. */
const SHARE = 20

export interface Compaction {
  /** Folds the tokens of a thread's finished runs. Resolves with how many envelopes the log has less. */
  compact(thread_id: string, owner?: string): Promise<number>
  stop(): void
}

/** Makes the logs of finished runs small: a run of 20,000 tokens becomes some hundred envelopes that read the same. */
export function createCompaction(runtime: RuntimeContext, afterSeconds: number | undefined): Compaction {
  const stopSweeping = afterSeconds === undefined ? () => {} : sweepEvery(runtime, afterSeconds)
  return {
    async compact(thread_id, owner) {
      await requireThread(runtime, thread_id, owner)
      let saved = 0
      for (const run of await runtime.store.runs.list(thread_id, 10_000)) {
        if (isFinished(run)) saved += await compactRun(runtime, run)
      }
      return saved
    },
    stop: stopSweeping,
  }
}

/** The store knows which runs are due, so that those of an earlier process are found too. */
function sweepEvery(runtime: RuntimeContext, afterSeconds: number): () => void {
  let isStopped = false
  let isSweeping = false

  async function sweep(): Promise<void> {
    for (;;) {
      const due = await runtime.store.runs.dueForCompaction(afterSeconds * 1000, SHARE)
      for (const run of due) {
        if (isStopped) return
        await compactRun(runtime, run)
      }
      if (due.length < SHARE) return
    }
  }

  function look(): void {
    if (isSweeping || isStopped) return
    isSweeping = true
    // The store may be unavailable: what is due is found the next time.
    void sweep()
      .catch(() => {})
      .finally(() => (isSweeping = false))
  }

  const timer = setInterval(look, Math.min(Math.max(afterSeconds * 250, 250), 60_000))
  timer.unref()
  look()
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

function isFinished({ status, position, end_position }: Run): boolean {
  return (
    (status === 'success' || status === 'error' || status === 'cancelled') &&
    position !== null &&
    end_position !== null
  )
}

async function compactRun(runtime: RuntimeContext, run: Run): Promise<number> {
  const saved = await foldRun(runtime, run)
  await runtime.store.runs.markCompacted(run.run_id)
  return saved
}

/** A run begins and ends with a row of the log, so that its rows can be replaced without touching any other. */
async function foldRun(runtime: RuntimeContext, run: Run): Promise<number> {
  const { thread_id, position, end_position } = run
  if (position === null || end_position === null || end_position <= position) return 0
  const rewriter = await runtime.log.rewriter(thread_id, position)
  const entries = await entriesBetween(runtime, rewriter, run, position, end_position)
  const folded = foldTokens(entries)
  if (folded.length === entries.length) return 0
  const rows = rewriter.rows(folded, position + 1)
  await runtime.store.segments.replace(thread_id, position + 1, end_position, rows)
  return entries.length - folded.length
}

/** From the store, not through the tail: that of another process may be ahead of the one here. */
async function entriesBetween(
  { log }: RuntimeContext,
  rewriter: Rewriter,
  { thread_id }: Run,
  after: number,
  last: number,
): Promise<Entry[]> {
  const entries: Entry[] = []
  let position = after
  while (position < last) {
    const segments = await log.page(thread_id, position)
    if (segments.length === 0) break
    for (const segment of segments) {
      if (segment.first > last) return entries
      for (const entry of await rewriter.take(segment, position))
        if (entry.position <= last) entries.push(entry)
      position = segment.last
    }
  }
  return entries
}
