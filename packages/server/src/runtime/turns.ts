import type { Run } from '../store/store.ts'
import type { LimitsOf } from './limits.ts'
import type { RuntimeContext } from './runtime-context.ts'

export interface TurnOptions {
  readonly worker: string
  readonly leaseMs: number
  readonly concurrency: number
  readonly limitsOf: LimitsOf
}

/** Claims the next run for a worker that runs these. */
export type ClaimInTurn = (running: Iterable<Run>) => Promise<Run | null>

/** Owners whose running runs are counted in the store: those with the most of them. */
const COUNTED = 10_000

/**
 * Fairness: owners take turns (round robin), and none takes the last slots. The dynamic threshold of switches that share
 * a buffer: an owner may hold as many slots as are free, times its share. So there is room for an owner who comes later
 * however long the runs of the others last, and n owners get a part of n + 1 each.
 */
export function claimInTurn({ store }: RuntimeContext, options: TurnOptions): ClaimInTurn {
  const { worker, leaseMs, concurrency, limitsOf } = options
  let last: string | null | undefined

  /** In all processes; where there is only one, those here are all. */
  async function everywhere(here: Counts): Promise<Counts> {
    if (!store.isShared) return here
    const counts = await store.runs.countByOwner('running', COUNTED)
    return new Map(counts.map(({ owner, count }) => [owner, count]))
  }

  async function fullOwners(running: Iterable<Run>): Promise<readonly (string | null)[]> {
    const here = countByOwner(running)
    const all = await everywhere(here)
    const free = concurrency - [...here.values()].reduce((sum, count) => sum + count, 0)
    return [...new Set([...here.keys(), ...all.keys()])].filter((owner) => {
      const limits = limitsOf(owner)
      if ((all.get(owner) ?? 0) >= limits.concurrency) return true
      return owner !== null && (here.get(owner) ?? 0) >= Math.max(1, free * limits.share)
    })
  }

  return async (running) => {
    const full = await fullOwners(running)
    const run = await store.runs.claim(worker, leaseMs, last === undefined ? { full } : { after: last, full })
    if (run !== null) last = run.owner
    return run
  }
}

type Counts = ReadonlyMap<string | null, number>

function countByOwner(running: Iterable<Run>): Counts {
  const counts = new Map<string | null, number>()
  for (const { owner } of running) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}
