import type { Notice, Notices } from '../store/notices.ts'
import { announce } from './announce.ts'
import type { Bus, Change } from './bus.ts'
import type { Crons } from './crons.ts'
import type { RuntimeContext } from './runtime-context.ts'
import type { Worker } from './worker.ts'

/** A bus that reaches every process that shares the store. */
export function sharedBus(here: Bus, notices: Notices): Bus {
  return {
    publish(change) {
      here.publish(change)
      // The store is unavailable: listeners elsewhere get `missed` once they are connected again.
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
  /** Reaches only the listeners in this process. */
  readonly bus: Bus
  readonly worker: Worker
  readonly crons: Crons
}

/** How long after the store was unavailable it is asked again. */
const RETRY_MS = 500

/** Acts on what other processes did to the store. Returns how to stop. */
export function shareStore(runtime: RuntimeContext, { bus, worker, crons }: Here): () => void {
  const { store, log } = runtime

  async function act(notice: Notice): Promise<void> {
    switch (notice.kind) {
      case 'log':
        return log.refresh(notice.thread_id)
      case 'changed':
        worker.wake()
        return announce({ store, bus, redaction: runtime.redaction }, notice.thread_id, notice.run_id)
      case 'removed':
        // Not from the store: a thread with this id may have been created since.
        log.forget(notice.thread_id)
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
        await log.refresh()
        // Runs that were lost with the connection are claimed again, here or elsewhere.
        await worker.renew()
        crons.wake()
        return
    }
  }

  let timer: NodeJS.Timeout | null = null

  /** A notice that could not be acted on was as good as missed. */
  function actOrRetry(notice: Notice): void {
    act(notice).catch(() => {
      timer ??= setTimeout(() => {
        timer = null
        actOrRetry({ kind: 'missed' })
      }, RETRY_MS).unref()
    })
  }

  if (!store.isShared) return () => {}
  const unsubscribe = store.notices.subscribe(actOrRetry)
  return () => {
    unsubscribe()
    if (timer !== null) clearTimeout(timer)
  }
}
