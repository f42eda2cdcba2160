import { randomUUID } from 'node:crypto'
import type { Notices, Run } from '../store/store.ts'
import { announce } from './announce.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { settlementOf } from './settlement.ts'
import { ledgerFor } from './trace-history.ts'
import type { Worker } from './worker.ts'

/** A notice may be lost, so the run is looked at this often. */
const LOOK_MS = 200
/** Longer than a healthy worker takes with a tool that does not stop by itself; then the worker is taken for dead. */
const DEAF_MS = 5_000
/** As long as it takes to end a run that nothing else can go on with. */
const LEASE_MS = 15_000

/**
 * Asks the process that runs it to stop it, and waits until it has. That process may be dead, and there may be none to
 * take the run up: after `DEAF_MS` the run is taken from it, under a new fence, and ended here.
 */
export async function cancelElsewhere(
  runtime: RuntimeContext,
  worker: Worker,
  run_id: string,
): Promise<void> {
  const { store } = runtime
  if (!store.isShared) return
  const change = changeOf(store.notices, run_id)
  const deafAt = performance.now() + DEAF_MS
  try {
    for (;;) {
      const run = await store.runs.get(run_id)
      if (run?.status !== 'running') return
      worker.running(run_id)?.stop('cancel')
      if (performance.now() > deafAt && (await endHere(runtime, run))) return
      await store.notices.publish({ kind: 'cancel', run_id })
      await change.next(LOOK_MS)
    }
  } finally {
    change.stop()
  }
}

interface RunChange {
  /** Resolves when another process has announced a change of the run, or after `ms`. */
  next(ms: number): Promise<void>
  stop(): void
}

function changeOf(notices: Notices, run_id: string): RunChange {
  let hasChanged = false
  let wake = (): void => {}
  const stop = notices.subscribe((notice) => {
    if (notice.kind !== 'changed' || notice.run_id !== run_id) return
    hasChanged = true
    wake()
  })
  return {
    stop,
    async next(ms) {
      if (!hasChanged) {
        let timer: NodeJS.Timeout | undefined
        await new Promise<void>((resolve) => {
          wake = resolve
          timer = setTimeout(resolve, ms)
        })
        clearTimeout(timer)
      }
      hasChanged = false
    },
  }
}

/** False when the run is over, or another worker has claimed it meanwhile. */
async function endHere(runtime: RuntimeContext, { run_id, attempt }: Run): Promise<boolean> {
  const taken = await runtime.store.runs.takeOver({ run_id, attempt }, `cancel ${randomUUID()}`, LEASE_MS)
  if (taken === null) return false
  await runtime.log.refresh(taken.thread_id)
  const { ledger, hasHistory } = await ledgerFor(runtime, taken)
  const writer = runtime.log.writer(taken.thread_id, { run_id, attempt: taken.attempt })
  const { envelopes, settlement } = settlementOf(ledger, taken, {
    outcome: { status: 'cancelled' },
    reason: 'cancel',
    hasRoot: hasHistory,
  })
  await writer.push(envelopes)
  await writer.flush(settlement)
  runtime.metrics.runsEnded.inc({ status: settlement.status })
  await announce(runtime, taken.thread_id, run_id)
  return true
}
