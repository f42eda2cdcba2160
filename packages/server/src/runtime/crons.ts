import { randomUUID } from 'node:crypto'
import { type Json, ClewlineError } from '@clewline/core'
import { callId } from '@clewline/core/source'
import type { Cron, CronsPage } from '../store/store.ts'
import { requireAgent } from './require-agent.ts'
import { requireThread } from './require-thread.ts'
import type { RuntimeContext } from './runtime-context.ts'
import type { Runs } from './runs.ts'
import { firstTick, nextTick } from './schedule.ts'
import type { Threads } from './threads.ts'

/** What a cron is created from. */
export interface CreateCron {
  readonly schedule: string
  /** Default UTC. */
  readonly timezone?: string
  /** A thread for every tick; without it each tick makes a thread of its own. */
  readonly thread_id?: string
  readonly agent: string
  readonly input: Json
  /** When the run of the last tick is not over. Default `skip`. */
  readonly on_overlap?: Cron['on_overlap']
}

export interface Crons {
  create(wanted: CreateCron, owner?: string): Promise<Cron>
  /** The oldest first: a page, or all of them. */
  list(owner?: string, page?: CronsPage): Promise<readonly Cron[]>
  remove(cron_id: string, owner?: string): Promise<void>
  /** Looks at once: another process has created a cron. */
  wake(): void
  stop(): void
}

const LONGEST_SLEEP_MS = 30_000
/** Due crons in memory together; each is moved on, or gone, before the next are read. */
const DUE_AT_ONCE = 8

/** Crons create ordinary runs: a reader of their thread sees them as any other. */
export function createCrons(runtime: RuntimeContext, threads: Threads, runs: Runs): Crons {
  let timer: NodeJS.Timeout | null = null
  let isStopped = false

  async function storeTime(): Promise<Date> {
    return new Date(await runtime.store.now())
  }

  async function tick(): Promise<void> {
    for (;;) {
      const due = await runtime.store.crons.due(DUE_AT_ONCE)
      for (const cron of due) await tickOne(cron)
      if (due.length < DUE_AT_ONCE || isStopped) return
    }
  }

  /**
   * Idempotent: the id of a tick's run is made of the cron and the tick, so that a tick which a crash cut in half is
   * finished, not doubled. Ticks missed while no process ran are one tick.
   */
  async function tickOne(cron: Cron): Promise<void> {
    const run_id = callId(cron.cron_id, [cron.next_at])
    const isBusy = await isLastActive(cron)
    const isSkipped = isBusy && cron.on_overlap === 'skip'
    if (isBusy && cron.on_overlap === 'cancel') await cancelLast(cron)
    const outcome = isSkipped ? 'skipped' : await startRun(cron, run_id)
    const next = nextTick(cron.schedule, cron.timezone, await storeTime())
    const started = outcome === 'started' ? run_id : null
    if (next === null) await runtime.store.crons.remove(cron.cron_id)
    else if (!(await runtime.store.crons.advance(cron, next.toISOString(), started))) return
    runtime.metrics.cronTicks.inc({ outcome })
    const moved = await runtime.store.crons.get(cron.cron_id)
    if (moved !== null) runtime.bus.publish({ type: 'cron', cron: moved })
  }

  async function startRun(cron: Cron, run_id: string): Promise<'started' | 'failed'> {
    const { agent, input, cron_id, owner } = cron
    const wanted = { agent, input, run_id, cron_id }
    try {
      const thread_id = cron.thread_id ?? run_id
      if (cron.thread_id === null) await threads.create({ thread_id, agent }, owner ?? undefined)
      await runs.create(thread_id, wanted, owner ?? undefined)
      return 'started'
    } catch (error) {
      // Its thread was deleted or its agent is gone: the next tick may find them again.
      if (error instanceof ClewlineError) return 'failed'
      throw error
    }
  }

  async function isLastActive({ last_run_id }: Cron): Promise<boolean> {
    const last = last_run_id === null ? null : await runtime.store.runs.get(last_run_id)
    return last?.status === 'pending' || last?.status === 'running'
  }

  async function cancelLast({ last_run_id }: Cron): Promise<void> {
    const last = last_run_id === null ? null : await runtime.store.runs.get(last_run_id)
    if (last !== null) await runs.cancel(last.thread_id, last.run_id)
  }

  async function sleep(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const next = await runtime.store.crons.nextAt()
    if (isStopped || next === null) return
    const now = (await storeTime()).getTime()
    const wait = Math.min(Math.max(0, Date.parse(next) - now), LONGEST_SLEEP_MS)
    timer = setTimeout(() => void turn(), wait)
    timer.unref()
  }

  async function turn(): Promise<void> {
    try {
      await tick()
      await sleep()
    } catch {
      // The store is unavailable for a moment: the tick is found when it is back.
      if (!isStopped) timer = setTimeout(() => void turn(), 1_000).unref()
    }
  }

  void turn()

  return {
    async create(wanted, owner) {
      const { schedule, timezone = 'UTC', thread_id, agent, input, on_overlap = 'skip' } = wanted
      requireAgent(runtime, agent)
      if (thread_id !== undefined) await requireThread(runtime, thread_id, owner)
      const now = await storeTime()
      const cron: Cron = {
        cron_id: randomUUID(),
        schedule,
        timezone,
        thread_id: thread_id ?? null,
        agent,
        input,
        on_overlap,
        created_at: now.toISOString(),
        next_at: firstTick(schedule, timezone, now).toISOString(),
        last_at: null,
        last_run_id: null,
        owner: owner ?? null,
      }
      await runtime.admission.cron(owner ?? null, () => runtime.store.crons.insert(cron))
      runtime.bus.publish({ type: 'cron', cron })
      await sleep()
      return cron
    },
    list: (owner, page) => runtime.store.crons.list(owner, page),
    async remove(cron_id, owner) {
      const cron = await runtime.store.crons.get(cron_id)
      if (cron === null || (owner !== undefined && cron.owner !== owner)) {
        throw new ClewlineError('not-found', `No cron "${cron_id}".`, {
          hint: 'List crons with GET /api/crons.',
        })
      }
      await runtime.store.crons.remove(cron_id)
    },
    wake() {
      if (!isStopped) void turn()
    },
    stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
