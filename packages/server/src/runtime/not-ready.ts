import { within } from '@clewline/core'
import type { Store } from '../store/store.ts'

/**
 * Why a process should get no requests now. `store`: it does not answer, or not in time. `notices`: what other processes
 * do is not heard of here. `worker`: its leases could not be renewed in time. `closing`: it is shutting down.
 */
export type NotReady = 'store' | 'notices' | 'worker' | 'closing'

export interface ProcessHealth {
  readonly isClosing: boolean
  readonly isWorkerAlive: boolean
}

const STORE_MS = 1_000

/** Readiness. The schema needs no look: a process that could not migrate its store has not started. */
export async function notReady(
  store: Store,
  { isClosing, isWorkerAlive }: ProcessHealth,
): Promise<readonly NotReady[]> {
  const isReachable = await within(store.now(), STORE_MS).catch(() => false)
  const isHearing = !store.isShared || store.notices.isConnected?.() !== false
  return [
    ...(isClosing ? ['closing' as const] : []),
    ...(isReachable ? [] : ['store' as const]),
    ...(isHearing ? [] : ['notices' as const]),
    ...(isWorkerAlive ? [] : ['worker' as const]),
  ]
}
