import { ClewlineError } from '@clewline/core'
import type { Source } from '@clewline/core/source'
import type { SegmentLog } from '../log/segment-log.ts'
import type { Store, Thread } from '../store/store.ts'
import type { Bus } from './bus.ts'
import type { Metrics } from './metrics.ts'

/** What the parts of the runtime share. */
export interface Parts {
  readonly store: Store
  readonly log: SegmentLog
  readonly agents: ReadonlyMap<string, Source>
  readonly bus: Bus
  readonly metrics: Metrics
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export function isoNow(parts: Pick<Parts, 'now'>): string {
  return new Date(parts.now()).toISOString()
}

export function agentOf(parts: Parts, name: string): Source {
  const source = parts.agents.get(name)
  if (source === undefined) {
    throw new ClewlineError('unknown-agent', `No agent is named "${name}".`, {
      hint: `Known agents: ${[...parts.agents.keys()].join(', ') || 'none'}. Add it to clewline.config.ts.`,
    })
  }
  return source
}

/** The thread, if it is there and whoever asks may see it. A stranger learns nothing more than "not found". */
export async function threadOf(parts: Parts, thread_id: string, owner?: string): Promise<Thread> {
  const thread = await parts.store.threads.get(thread_id)
  if (thread === null || (owner !== undefined && thread.owner !== owner)) {
    throw new ClewlineError('not-found', `No thread "${thread_id}".`, {
      hint: 'Create it with POST /api/threads, or list threads with GET /api/threads.',
    })
  }
  return thread
}

/** Tells the service that a thread or a run is no longer what it was. */
export async function announce(parts: Parts, thread_id: string, run_id?: string): Promise<void> {
  const thread = await parts.store.threads.get(thread_id)
  if (thread === null) return
  parts.bus.publish({ type: 'thread', thread })
  const run = run_id === undefined ? null : await parts.store.runs.get(run_id)
  if (run !== null) parts.bus.publish({ type: 'run', run, owner: thread.owner })
}
