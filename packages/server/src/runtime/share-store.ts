import type { Notice, Notices } from '../store/store.ts'
import type { Bus, Change } from './bus.ts'
import type { CronsOfService } from './crons.ts'
import type { Parts } from './parts.ts'
import type { Worker } from './worker.ts'

/** A bus that is heard in every process that shares the store. */
export function sharedBus(here: Bus, notices: Notices): Bus {
  return {
    publish(change) {
      here.publish(change)
      // The store is away: whoever listens elsewhere is told `missed` when it is back.
      notices.publish(noticeOf(change)).catch(() => {})
    },
    subscribe: (listener) => here.subscribe(listener),
  }
}

function noticeOf(change: Change): Notice {
  switch (change.type) {
    case 'thread':
      return { kind: 'changed', thread_id: change.thread.thread_id }
    case 'run':
      return { kind: 'changed', thread_id: change.run.thread_id, run_id: change.run.run_id }
    case 'thread_removed':
      return { kind: 'removed', thread_id: change.thread_id, owner: change.owner }
    case 'cron':
      return { kind: 'cron', cron_id: change.cron.cron_id }
  }
}

interface Here {
  /** Reaches only those who listen in this process. */
  readonly bus: Bus
  readonly worker: Worker
  readonly crons: CronsOfService
}

/** Acts on what other processes did to the store. Returns how to stop. */
export function shareStore(parts: Parts, { bus, worker, crons }: Here): () => void {
  const { store, log } = parts

  async function hear(notice: Notice): Promise<void> {
    switch (notice.kind) {
      case 'log':
        return log.grown(notice.thread_id)
      case 'changed': {
        worker.wake()
        const thread = await store.threads.get(notice.thread_id)
        if (thread === null) return
        bus.publish({ type: 'thread', thread })
        const run = notice.run_id === undefined ? null : await store.runs.get(notice.run_id)
        if (run !== null) bus.publish({ type: 'run', run, owner: thread.owner })
        return
      }
      case 'removed':
        await log.remove(notice.thread_id)
        bus.publish({ type: 'thread_removed', thread_id: notice.thread_id, owner: notice.owner })
        return
      case 'cancel':
        worker.running(notice.run_id)?.stop('cancel')
        return
      case 'cron': {
        crons.wake()
        const cron = await store.crons.get(notice.cron_id)
        if (cron !== null) bus.publish({ type: 'cron', cron })
        return
      }
      case 'missed':
        worker.wake()
        crons.wake()
        return log.grown()
    }
  }

  return (
    store.notices?.subscribe((notice) => {
      // What fails here was only news: the store has it, and the next look finds it.
      hear(notice).catch(() => {})
    }) ?? (() => {})
  )
}

const ASK_AGAIN_MS = 200

/**
 * Asks whoever runs it to stop it, again and again: its process may die meanwhile and another take the run up, this one
 * too.
 */
export async function cancelElsewhere({ store }: Parts, worker: Worker, run_id: string): Promise<void> {
  if (store.notices === undefined) return
  while ((await store.runs.get(run_id))?.status === 'running') {
    worker.running(run_id)?.stop('cancel')
    await store.notices.publish({ kind: 'cancel', run_id })
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
  }
}
