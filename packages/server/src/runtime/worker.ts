import { randomUUID } from 'node:crypto'
import { within } from '@clewline/core'
import { type ExecuteOptions, executeRun, type RunningRun } from './execute-run.ts'
import { announce, type Parts } from './parts.ts'

/** Takes runs that are due and runs them, as many at once as it may. */
export interface Worker {
  /** There may be something to do: a run was created, or one has ended. */
  wake(): void
  running(run_id: string): RunningRun | undefined
  /** Resolves when the runs that it is claiming are in its hands. */
  claims(): Promise<void>
  active(): number
  /** Takes no more runs, asks those it has to stop where another worker can go on, and waits for them. */
  drain(timeoutMs: number): Promise<void>
}

export interface WorkerOptions extends ExecuteOptions {
  readonly concurrency: number
  /** A worker that does not prolong its lease for so long has lost its runs. */
  readonly leaseMs: number
}

const MAX_TIMER_MS = 60_000

export function createWorker(parts: Parts, options: WorkerOptions): Worker {
  const name = randomUUID()
  const runs = new Map<string, RunningRun>()
  let isClosed = false
  let claiming: Promise<void> | null = null
  let isWanted = false
  let timer: NodeJS.Timeout | null = null

  /** Until then no worker may take what this one has: by a clock that nobody sets, and by the one that the store's leases go by. */
  let leased = leaseFrom(performance.now(), parts.now())

  const leaseUntil = (): string => new Date(parts.now() + options.leaseMs).toISOString()

  function wake(): void {
    isWanted = true
    // The store may be away for a moment: the heartbeat looks again.
    claiming ??= claimAll()
      .catch(() => {})
      .finally(() => {
        claiming = null
        if (isWanted && !isClosed) wake()
      })
  }

  async function claimAll(): Promise<void> {
    let lookedAt = parts.now()
    while (isWanted && !isClosed) {
      isWanted = false
      // After a long sleep its own runs look abandoned: prolonged first, they are not taken from itself.
      await keepLeases()
      while (!isClosed && runs.size < options.concurrency) {
        lookedAt = parts.now()
        const run = await parts.store.runs.claim(name, new Date(lookedAt).toISOString(), leaseUntil())
        if (run === null) break
        start(executeRun(parts, run, options, keepLeases))
      }
    }
    if (!isClosed) await setTimer(lookedAt)
  }

  function start(running: RunningRun): void {
    const { run } = running
    runs.set(run.run_id, running)
    if (run.attempt > 1) parts.metrics.runsRecovered.inc()
    else parts.metrics.queueWait.observe(Math.max(0, parts.now() - Date.parse(run.run_at)) / 1000)
    const tell = (): Promise<void> => announce(parts, run.thread_id, run.run_id).catch(() => {})
    void tell()
    void running.done.then(async () => {
      runs.delete(run.run_id)
      await tell()
      wake()
    })
  }

  async function setTimer(lookedAt: number): Promise<void> {
    // A run that was due when this worker looked waits for its thread or for room: the end of another run wakes it.
    const due = await parts.store.runs.nextDue(new Date(lookedAt).toISOString())
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (due === null || isClosed) return
    timer = setTimeout(wake, Math.min(Math.max(0, Date.parse(due) - parts.now()), MAX_TIMER_MS))
  }

  function leaseFrom(steady: number, time: number): { readonly steady: number; readonly time: number } {
    return { steady: steady + options.leaseMs, time: time + options.leaseMs }
  }

  function keepLeases(): void | Promise<void> {
    // While a machine sleeps the steady clock stands still, and the other goes on.
    if (performance.now() > leased.steady || parts.now() > leased.time) return renew()
  }

  async function renew(): Promise<void> {
    const asked = leaseFrom(performance.now(), parts.now())
    const held = await parts.store.runs.renew(name, leaseUntil())
    leased = asked
    for (const running of runs.values()) {
      const isHeld = held.some(
        ({ run_id, attempt }) => run_id === running.run.run_id && attempt === running.run.attempt,
      )
      if (!isHeld) running.stop('lost')
    }
    // Held, but not run here: giving it up failed when the store was away. (While claiming, it may be about to start.)
    if (claiming === null) {
      for (const fence of held) if (!runs.has(fence.run_id)) await parts.store.runs.abandon(fence)
    }
    wake()
  }

  const heartbeat = setInterval(() => {
    renew().catch(() => {
      // The store is away: nothing can be appended either, and a lease that lapses is another worker's to take.
    })
  }, options.leaseMs / 3)
  heartbeat.unref()

  return {
    wake,
    running: (run_id) => runs.get(run_id),
    claims: () => claiming ?? Promise.resolve(),
    active: () => runs.size,
    async drain(timeoutMs) {
      isClosed = true
      clearInterval(heartbeat)
      if (timer !== null) clearTimeout(timer)
      await claiming
      const all = [...runs.values()]
      for (const running of all) running.drain()
      const isDone = await within(Promise.all(all.map((running) => running.done)), timeoutMs)
      if (isDone) return
      for (const running of all) running.stop('left')
      await within(Promise.all(all.map((running) => running.done)), options.stopGraceMs + 500)
    },
  }
}
