import { within } from '@clewline/core'
import type { Profile } from '@clewline/core/read'
import type { Source } from '@clewline/core/source'
import { type Feed, feedOf } from '../log/feed.ts'
import { segmentLog, type SegmentLog } from '../log/segment-log.ts'
import type { Redact } from '../redact/redact.ts'
import { createRedaction } from '../redact/redaction.ts'
import type { Store } from '../store/store.ts'
import { failureToStderr, type OnFailure } from './failure-text.ts'
import { createAdmission, type Admission } from './admission.ts'
import { createBus, type Bus } from './bus.ts'
import { createCompaction } from './compact.ts'
import { createCrons, type Crons } from './crons.ts'
import { createForks, type Forks } from './fork.ts'
import { limitValues, MAX_VALUE_BYTES } from './limit-values.ts'
import { limitsOf, type LimitsOption } from './limits.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type NotReady, notReady } from './not-ready.ts'
import { pendingByOwner } from './pending-by-owner.ts'
import { createPressure } from './pressure.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { createRuns, type Runs } from './runs.ts'
import { sharedBus, shareStore } from './share-store.ts'
import { createThreads, type Threads } from './threads.ts'
import { createWorker } from './worker.ts'

/** Threads and their runs over a store, without HTTP. */
export interface Runtime {
  readonly agents: ReadonlyMap<string, Source>
  readonly threads: Threads
  readonly runs: Runs
  readonly crons: Crons
  readonly forks: Forks
  readonly log: SegmentLog
  /** The logs as readers see them, by profile; `inputs` is `user` with what models were asked. */
  readonly feeds: Feeds
  readonly bus: Bus
  readonly metrics: Metrics
  readonly admission: Admission
  readonly store: Store
  /** Folds the tokens of a thread's finished runs into one envelope each. Resolves with how many envelopes it saved. */
  compact(thread_id: string, owner?: string): Promise<number>
  /** Why this process should get no requests now; empty when it is ready for them. */
  notReady(): Promise<readonly NotReady[]>
  /**
   * Drains: running runs stop where another process can go on, and the store is closed. Bounded, whatever is stuck: at
   * most 10 seconds longer than `timeoutMs` (default 10 s).
   */
  close(options?: CloseOptions): Promise<void>
}

export interface CloseOptions {
  readonly timeoutMs?: number
  /** Called with how many runs could not be given back: others claim them when their leases expire, as after a crash. */
  readonly onAbandoned?: (runs: number) => void
}

type Feeds = Readonly<Record<Profile | 'inputs', Feed>>

export interface RuntimeOptions {
  /** Runs at the same time in this process, which takes fewer while its event loop is late or its memory full. Default 256. */
  readonly concurrency?: number
  /** What each owner may use: runs, readers, crons, bytes, and how fast. */
  readonly limits?: LimitsOption
  /** A process that is silent for so long has lost its runs to others that share the store. Default 15 s. */
  readonly leaseMs?: number
  /** A run is given up after its process has died with it so often. Default 5. */
  readonly maxCrashes?: number
  /** A call that says nothing for so long gets a `warning` in the log. Default 60. */
  readonly silentSeconds?: number
  /** How long a source may take to stop when cancelled. Default 2 s. */
  readonly stopGraceMs?: number
  /** How long a batch of the log waits for more, in ms. Default 8. */
  readonly lingerMs?: number
  /** How long the tokens of a call are gathered for readers with profile `user`, in ms: 25 to 75. Default 50. */
  readonly windowMs?: number
  /** The largest value that is recorded, in bytes; a larger one is refused with a `warning`. Default 32 MiB. */
  readonly maxValueBytes?: number
  /**
   * Gives what is recorded in the place of a value, before anything is written to the log: `redactSecrets`, or a function
   * of your own. Default none. docs/security.md says what is covered.
   */
  readonly redact?: Redact
  /** Runs that ended so long ago have their tokens folded. Default never. */
  readonly compactAfterSeconds?: number
  /**
   * Stack traces of the server's code are in problems and in the envelopes of failed calls, where every reader of the
   * thread sees them. Default false: only the message and the class of an error.
   */
  readonly debug?: boolean
  /**
   * Gets, as text, the causes that clients are not shown: of answers of 500 and above, and of failed calls with their
   * stacks. Default: each is written to standard error.
   */
  readonly onFailure?: OnFailure
  /** The clock of this process, in ms since the epoch; a SQLite store opened by its name goes by it, too. For tests. */
  readonly now?: () => number
}

export async function createRuntime(
  agents: ReadonlyMap<string, Source>,
  store: Store,
  options: RuntimeOptions = {},
): Promise<Runtime> {
  const metrics = createMetrics()
  const log = segmentLog(store.segments, {
    ...(options.lingerMs === undefined ? {} : { lingerMs: options.lingerMs }),
    onAppend(envelopes, bytes, seconds) {
      metrics.envelopes.inc(envelopes)
      metrics.logBytes.inc(bytes)
      metrics.appendTime.observe(seconds)
    },
  })
  const feeds = feedsOf(log, options.windowMs)
  const here = createBus()
  const bus = store.isShared ? sharedBus(here, store.notices) : here
  const limits = limitsOf(options.limits)
  const admission = createAdmission(store, limits, metrics)
  const runtime: RuntimeContext = {
    store,
    log,
    agents,
    bus,
    metrics,
    admission,
    redaction: options.redact === undefined ? null : createRedaction(options.redact),
    limit: limitValues(options.maxValueBytes ?? MAX_VALUE_BYTES),
    now: options.now ?? Date.now,
  }
  const pressure = createPressure()
  const worker = createWorker(runtime, {
    concurrency: options.concurrency ?? 256,
    limitsOf: limits,
    pressure,
    leaseMs: options.leaseMs ?? 15_000,
    maxCrashes: options.maxCrashes ?? 5,
    silentMs: (options.silentSeconds ?? 60) * 1000,
    stopGraceMs: options.stopGraceMs ?? 2_000,
    keepStacks: options.debug ?? false,
    onFailure: options.onFailure ?? failureToStderr,
  })
  const runs = createRuns(runtime, worker)
  const threads = createThreads(runtime, runs)
  metrics.gauge('clewline_runs_active', 'Runs that this process runs now.', () => worker.active())
  metrics.gauge('clewline_readers', 'Readers that follow a log now.', () => log.readers())
  metrics.gauge('clewline_runs_pending', 'Runs that wait.', () => store.runs.pending())
  metrics.gaugeBy(
    'clewline_queue_pending',
    'Runs that wait, of the owners with most of them; the rest together is of owner "(others)".',
    'owner',
    () => pendingByOwner(store),
  )
  metrics.gauge(
    'clewline_claims_paused',
    '1 while this process takes no runs for want of memory or time.',
    () => (pressure.isHigh() ? 1 : 0),
  )
  if (!store.isShared) await store.runs.expireAllLeases()
  worker.wake()
  const crons = createCrons(runtime, threads, runs)
  const compaction = createCompaction(runtime, options.compactAfterSeconds)
  const stopSharing = shareStore(runtime, { bus: here, worker, crons })
  let isClosing = false

  return {
    agents,
    threads,
    runs,
    crons,
    forks: createForks(runtime),
    log,
    feeds,
    bus: runtime.bus,
    metrics,
    admission,
    store,
    compact: (thread_id, owner) => compaction.compact(thread_id, owner),
    notReady: () => notReady(store, { isClosing, isWorkerAlive: worker.isAlive() }),
    async close({ timeoutMs = 10_000, onAbandoned = () => {} } = {}) {
      isClosing = true
      stopSharing()
      crons.stop()
      compaction.stop()
      pressure.stop()
      const abandoned = await worker.drain(timeoutMs)
      // A store that is silent takes nothing more; what is not committed was not shown.
      await Promise.all([within(log.close(), LOG_CLOSE_MS), closeSources(agents)])
      await store.close()
      if (abandoned > 0) onAbandoned(abandoned)
    },
  }
}

const LOG_CLOSE_MS = 4_000
/** A worker process gets two grace periods of three seconds, one before each signal. */
const SOURCES_CLOSE_MS = 7_000

/** No orphans: what the sources hold ends with the server. One that cannot close does not keep the others from it. */
async function closeSources(agents: ReadonlyMap<string, Source>): Promise<void> {
  const closing = [...new Set(agents.values())].map(async (source) => await source.close?.())
  await within(Promise.allSettled(closing), SOURCES_CLOSE_MS)
}

function feedsOf(log: SegmentLog, windowMs: number | undefined): Feeds {
  const feed = (profile: Profile, inputs = false): Feed =>
    feedOf(log, { profile, inputs, ...(windowMs !== undefined && { windowMs }) })
  return { user: feed('user'), debug: feed('debug'), inputs: feed('user', true) }
}
