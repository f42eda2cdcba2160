import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { foldRows, tokensOnly } from '../log/fold-rows.ts'
import type { RunSummary, Segment } from '../store/store.ts'
import { requireThread } from './require-thread.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** Runs that are looked at in one go. */
const SHARE = 20

/** About as many bytes of the log are folded, and their rows replaced, in one go. */
const SLICE_BYTES = 2 * 1024 * 1024

/** A run that could not be compacted is left alone for so long. */
const RETRY_MS = 600_000

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
        if (isFinished(run)) saved += await compactRun(runtime, run, new AbortController().signal)
      }
      return saved
    },
    stop: stopSweeping,
  }
}

/** The store knows which runs are due, so that those of an earlier process are found too. Never at once: a start has better things to do. */
function sweepEvery(runtime: RuntimeContext, afterSeconds: number): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  /** Runs that could not be compacted, and when to try them again: they must not hold up the others. */
  const failed = new Map<string, number>()
  let isSweeping = false

  async function sweep(): Promise<void> {
    for (;;) {
      forget(failed)
      const found = await runtime.store.runs.dueForCompaction(afterSeconds * 1000, SHARE + failed.size)
      const due = found.filter(({ run_id }) => !failed.has(run_id))
      for (const run of due) {
        if (signal.aborted) return
        try {
          await compactRun(runtime, run, signal)
        } catch (error) {
          // All of them would fail: what is due is found the next time.
          if (runtime.store.isUnavailable?.(error) || signal.aborted) return
          runtime.metrics.compactionsFailed.inc()
          failed.set(run.run_id, performance.now() + RETRY_MS)
        }
      }
      if (due.length < SHARE) return
    }
  }

  function look(): void {
    if (isSweeping || signal.aborted) return
    isSweeping = true
    void sweep()
      .catch(() => {})
      .finally(() => (isSweeping = false))
  }

  const timer = setInterval(look, Math.min(Math.max(afterSeconds * 250, 250), 60_000))
  timer.unref()
  return () => {
    stopping.abort()
    clearInterval(timer)
  }
}

function forget(failed: Map<string, number>): void {
  for (const [run_id, until] of failed) if (until <= performance.now()) failed.delete(run_id)
}

function isFinished({ status, position, end_position }: RunSummary): boolean {
  return (
    (status === 'success' || status === 'error' || status === 'cancelled') &&
    position !== null &&
    end_position !== null
  )
}

/**
 * In slices, each one transaction, so that a process that dies has not worked for nothing, and the next one finds the
 * rest. A run begins and ends with a row of the log: its rows can be replaced without touching any other.
 */
async function compactRun(runtime: RuntimeContext, run: RunSummary, signal: AbortSignal): Promise<number> {
  const { thread_id, position, end_position } = run
  let saved = 0
  let after = position ?? 0
  while (end_position !== null && after < end_position) {
    const begun = performance.now()
    const slice = await sliceAfter(runtime, thread_id, after, end_position)
    const [first, last] = [slice[0]?.first, slice.at(-1)?.last]
    if (first === undefined || last === undefined) break
    const decoder = runtime.log.decoder(thread_id, { project: tokensOnly })
    const folded = await foldRows(slice, decoder, setImmediate)
    if (folded !== null && (await runtime.store.segments.replace(thread_id, first, last, folded.rows))) {
      saved += folded.saved
    }
    after = last
    // Low priority: half of the time belongs to others.
    if (after < end_position) await sleep(Math.min(performance.now() - begun, 1_000), undefined, { signal })
  }
  await runtime.store.runs.markCompacted(run.run_id)
  return saved
}

/** From the store, not through the tail: that of another process may be ahead of the one here. */
async function sliceAfter(
  { log }: RuntimeContext,
  thread: string,
  after: number,
  last: number,
): Promise<Segment[]> {
  const slice: Segment[] = []
  let position = after
  let bytes = 0
  while (position < last && bytes < SLICE_BYTES) {
    const page = await log.page(thread, position)
    if (page.length === 0) break
    for (const segment of page) {
      position = segment.last
      if (segment.first <= after || segment.last > last) continue
      slice.push(segment)
      bytes += segment.bytes.length
    }
    await setImmediate()
  }
  return slice
}
