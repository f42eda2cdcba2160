import { randomUUID } from 'node:crypto'
import { within } from '@clewline/core'
import type { Run } from '../store/store.ts'
import { type ExecuteOptions, executeRun, type RunningRun } from './execute-run.ts'
import { announce } from './announce.ts'
import type { LimitsOf } from './limits.ts'
import type { Pressure } from './pressure.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { claimInTurn } from './turns.ts'

/** Claims runs that are due, in turns, and runs them, up to `concurrency` at once and as long as the process can bear more. */
export interface Worker {
  /** There may be something to do: a run was created, or one has ended. */
  wake(): void
  running(run_id: string): RunningRun | undefined
  /** Resolves when the runs that it is claiming are in its hands. */
  claims(): Promise<void>
  active(): number
  /** Renews the leases now. What it holds without running it, because the store was unavailable, is free again. */
  renew(): Promise<void>
  /** Whether the store has kept its leases until now. */
  isAlive(): boolean
  /**
   * Takes no more runs, asks those it has to stop where another worker can go on, and waits for them; in the end no
   * longer than the grace period of a source. Resolves with how many it could not give back: they are claimed by others
   * when their leases expire.
   */
  drain(timeoutMs: number): Promise<number>
}

export interface WorkerOptions extends ExecuteOptions {
  readonly concurrency: number
  readonly limitsOf: LimitsOf
  readonly pressure: Pick<Pressure, 'isHigh'>
  /** A worker that does not renew its leases for so long has lost its runs. */
  readonly leaseMs: number
}

const MAX_TIMER_MS = 60_000
/** How soon a worker that is under pressure looks again. */
const RELIEF_MS = 250

/** When a run becomes due, by `performance.now()`. */
interface Due {
  readonly at: number
}

export function createWorker(runtime: RuntimeContext, options: WorkerOptions): Worker {
  const name = randomUUID()
  const runs = new Map<string, RunningRun>()
  let isClosed = false
  let claiming: Promise<void> | null = null
  let isWanted = false
  let timer: NodeJS.Timeout | null = null

  const { leaseMs, concurrency, limitsOf, pressure } = options
  const claimNext = claimInTurn(runtime, { worker: name, leaseMs, concurrency, limitsOf })

  /** Until when the store keeps this worker's leases, by this process: its monotonic clock and its wall clock. */
  let leased = leaseFromNow()

  function wake(): void {
    isWanted = true
    // The store may be unavailable for a moment: the heartbeat looks again.
    claiming ??= claimAll()
      .catch(() => {})
      .finally(() => {
        claiming = null
        if (isWanted && !isClosed) wake()
      })
  }

  async function claimAll(): Promise<void> {
    let next: Due | null = null
    while (isWanted && !isClosed) {
      isWanted = false
      // After a long sleep its own leases have expired: renewed first, its runs are not taken from itself.
      await keepLeases()
      // Asked before the claims, so that a run which becomes due during them is either claimed or waited for. One that
      // was due already waits for its thread or for room: the end of another run wakes it.
      next = await dueNext()
      while (!isClosed && runs.size < concurrency) {
        if (isPressed()) {
          next = { at: performance.now() + RELIEF_MS }
          break
        }
        const run = await claimNext([...runs.values()].map((running) => running.run))
        if (run === null) break
        start(executeRun(runtime, run, options, keepLeases))
      }
    }
    if (!isClosed) setTimer(next)
  }

  /** Load shedding: what waits is as safe in the queue. One run always goes on, so that nothing stands still. */
  function isPressed(): boolean {
    return runs.size > 0 && pressure.isHigh()
  }

  function start(running: RunningRun): void {
    const { run } = running
    runs.set(run.run_id, running)
    if (run.attempt > 1) runtime.metrics.runsRecovered.inc()
    else runtime.metrics.queueWait.observe(waitOf(run) / 1000)
    const tell = (): Promise<void> => announce(runtime, run.thread_id, run.run_id).catch(() => {})
    void tell()
    void running.done.then(async () => {
      runs.delete(run.run_id)
      await tell()
      wake()
    })
  }

  async function dueNext(): Promise<Due | null> {
    const askedAt = performance.now()
    const ms = await runtime.store.runs.nextDue()
    return ms === null ? null : { at: askedAt + ms }
  }

  function setTimer(next: Due | null): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (next === null) return
    timer = setTimeout(wake, Math.min(Math.max(0, next.at - performance.now()), MAX_TIMER_MS))
  }

  function leaseFromNow(): { readonly monotonic: number; readonly wall: number } {
    return { monotonic: performance.now() + options.leaseMs, wall: runtime.now() + options.leaseMs }
  }

  function keepLeases(): void | Promise<void> {
    // The monotonic clock stands still while a machine sleeps; the wall clock may be set back.
    if (performance.now() > leased.monotonic || runtime.now() > leased.wall) return renew()
  }

  async function renew(): Promise<void> {
    const asked = leaseFromNow()
    const held = await runtime.store.runs.renew(name, options.leaseMs)
    leased = asked
    for (const running of runs.values()) {
      const isHeld = held.some(
        ({ run_id, attempt }) => run_id === running.run.run_id && attempt === running.run.attempt,
      )
      if (!isHeld) running.stop('lost')
    }
    // Held, but not run here: its lease could not be expired while the store was unavailable. (While claiming, it may be
    // about to start.)
    if (claiming === null) {
      for (const fence of held) if (!runs.has(fence.run_id)) await runtime.store.runs.expireLease(fence)
    }
    wake()
  }

  const heartbeat = setInterval(() => {
    renew().catch(() => {
      // The store is unavailable: nothing can be appended either, and another worker may claim what has expired.
    })
  }, options.leaseMs / 3)
  heartbeat.unref()

  return {
    wake,
    running: (run_id) => runs.get(run_id),
    claims: () => claiming ?? Promise.resolve(),
    active: () => runs.size,
    renew,
    isAlive: () => performance.now() <= leased.monotonic,
    async drain(timeoutMs) {
      const until = performance.now() + timeoutMs
      const timeLeft = (): number => Math.max(0, until - performance.now())
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      if (claiming !== null) await within(claiming, timeLeft())
      const all = [...runs.values()]
      const givenBack = new Set<RunningRun>()
      const done = Promise.all(
        all.map(async (running) => {
          running.drain()
          if ((await running.done) !== 'lost') givenBack.add(running)
        }),
      )
      if (!(await within(done, timeLeft()))) {
        for (const running of all) running.stop('left')
        await within(done, options.stopGraceMs + 500)
      }
      // Not before: a drain may take longer than a lease.
      clearInterval(heartbeat)
      return all.length - givenBack.size
    },
  }
}

/** How long a run that was just claimed had been due: both times are the store's. */
function waitOf({ run_at, started_at }: Run): number {
  return started_at === null ? 0 : Math.max(0, Date.parse(started_at) - Date.parse(run_at))
}
