import { ClewlineError } from '@clewline/core'
import type { Priority, Store } from '../store/store.ts'
import type { LimitsOf } from './limits.ts'
import type { Metrics } from './metrics.ts'
import { createReservations } from './reservations.ts'
import { createTokenBuckets } from './token-buckets.ts'

/** Why something was refused: the label of `clewline_refusals_total`. */
export type Refused = 'requests' | 'runs' | 'pending' | 'log_bytes' | 'readers' | 'crons'

/** Keeps owners within their limits. Each throws `rate-limited`, or `forbidden` where waiting does not help. */
export interface Admission {
  request(owner: string | null): void
  /** For a run: creates it, with the priority that it gets. */
  run<T>(owner: string | null, priority: Priority, create: (priority: Priority) => Promise<T>): Promise<T>
  /** For a stream; returns what to call when it has ended. */
  reader(owner: string | null): () => void
  cron<T>(owner: string | null, create: () => Promise<T>): Promise<T>
}

/** From the least to the most. */
const ORDER: readonly Priority[] = ['low', 'normal', 'high']

/** Retry-After where only the end of something else makes room. */
const A_WHILE_SECONDS = 5

export function createAdmission(
  { runs, threads, crons }: Pick<Store, 'runs' | 'threads' | 'crons'>,
  limitsOf: LimitsOf,
  metrics: Pick<Metrics, 'refusals'>,
): Admission {
  const take = createTokenBuckets()
  const reserve = createReservations()
  const readers = new Map<string | null, number>()

  function refuse(reason: Refused, message: string, hint: string, retryAfterSeconds?: number): never {
    metrics.refusals.inc({ reason })
    if (retryAfterSeconds === undefined) throw new ClewlineError('forbidden', message, { hint })
    throw new ClewlineError('rate-limited', message, { hint, retryAfterSeconds })
  }

  function rate(reason: 'requests' | 'runs', owner: string | null, limit: number, seconds: number): void {
    const wait = take(`${reason} ${owner ?? ''}`, limit, seconds)
    if (wait === 0) return
    const unit = seconds === 1 ? 'second' : 'minute'
    refuse(
      reason,
      `More than ${limit} ${reason} in a ${unit}.`,
      `Wait ${Math.ceil(wait)} s, as Retry-After says.`,
      wait,
    )
  }

  return {
    request: (owner) => rate('requests', owner, limitsOf(owner).requestsPerSecond, 1),
    async run(owner, priority, create) {
      const limits = limitsOf(owner)
      rate('runs', owner, limits.runsPerMinute, 60)
      const { pending, logBytes, maxPriority } = limits
      if (logBytes < Infinity && (await threads.logBytes(owner)) >= logBytes) {
        refuse(
          'log_bytes',
          `The logs hold ${logBytes} bytes already.`,
          'Delete threads that are no longer needed.',
        )
      }
      return await reserve({
        key: `pending ${owner ?? ''}`,
        limit: pending,
        count: () => runs.pendingOf(owner, pending),
        refuse() {
          const hint =
            'Wait until some of them have started, or cancel some: GET /api/runs?status=pending lists them.'
          return refuse('pending', `${pending} runs wait already.`, hint, A_WHILE_SECONDS)
        },
        insert: () => create(ORDER.indexOf(priority) > ORDER.indexOf(maxPriority) ? maxPriority : priority),
      })
    },
    reader(owner) {
      const open = readers.get(owner) ?? 0
      const limit = limitsOf(owner).readers
      if (open >= limit) {
        refuse('readers', `${limit} streams are open already.`, 'Close some of them first.', A_WHILE_SECONDS)
      }
      readers.set(owner, open + 1)
      return () => {
        const left = (readers.get(owner) ?? 1) - 1
        if (left === 0) readers.delete(owner)
        else readers.set(owner, left)
      }
    },
    cron(owner, create) {
      const limit = limitsOf(owner).crons
      return reserve({
        key: `crons ${owner ?? ''}`,
        limit,
        count: () => crons.count(owner),
        refuse: () =>
          refuse('crons', `There are ${limit} crons already.`, 'Delete one that is no longer needed.'),
        insert: create,
      })
    },
  }
}
