import type { Priority } from '../store/store.ts'

/** What one owner may use. What is not said has the default; `Infinity` is no limit. */
export interface Limits {
  /** Runs at the same time, in all processes together. Default: none but the share. */
  readonly concurrency?: number
  /**
   * Weight in each process: an owner may hold as many of its slots as are free, times this, so that there is always room
   * for the next owner. Default 1: alone an owner gets a half, two get a third each.
   */
  readonly share?: number
  /** Runs that wait, for their turn or their time. Default 10,000. */
  readonly pending?: number
  /** Runs that are started in a minute. Default none. */
  readonly runsPerMinute?: number
  /** Requests in a second, to each process. Default none. */
  readonly requestsPerSecond?: number
  /** Streams that are open at the same time, in each process. Default 1,000. */
  readonly readers?: number
  /** Crons. Default 1,000. */
  readonly crons?: number
  /** Bytes in the logs of all threads, looked at when a run is created. Default none. */
  readonly logBytes?: number
  /** A run that asks for more gets this. Default `high`. */
  readonly maxPriority?: Priority
}

/** The same limits for every owner, or those of each; null is everyone without an owner. */
export type LimitsOption = Limits | ((owner: string | null) => Limits)

export type LimitsOf = (owner: string | null) => Required<Limits>

const NONE: Required<Limits> = {
  concurrency: Infinity,
  share: 1,
  pending: Infinity,
  runsPerMinute: Infinity,
  requestsPerSecond: Infinity,
  readers: Infinity,
  crons: Infinity,
  logBytes: Infinity,
  maxPriority: 'high',
}

const OF_AN_OWNER: Required<Limits> = { ...NONE, pending: 10_000, readers: 1_000, crons: 1_000 }

/** With the defaults. Without authentication there is one tenant, who is bounded only by what the config says. */
export function limitsOf(option: LimitsOption = {}): LimitsOf {
  return (owner) => ({
    ...(owner === null ? NONE : OF_AN_OWNER),
    ...(typeof option === 'function' ? option(owner) : option),
  })
}
