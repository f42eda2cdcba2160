import { type Death, mortalProcess, type SaverWrite, saverWrite } from '@clewline/langgraph/testing'
import type { Store } from '../store/store.ts'

/** What a process writes to its store, as a chaos test aims at it. */
export type StoreWrite = SaverWrite | { readonly type: 'append'; readonly settles: boolean }

export interface MortalStore {
  readonly store: Store
  /** Resolves when the process that uses it has died. */
  readonly died: Promise<void>
}

/** A store whose process dies at a named write. The store behind it stays open for the next process. */
export function mortalStore(store: Store, diesAt: (write: StoreWrite) => Death | null): MortalStore {
  const { died, part } = mortalProcess(diesAt)
  const { checkpointer } = store
  return {
    died,
    store: {
      ...store,
      runs: part(store.runs, () => null),
      threads: part(store.threads, () => null),
      segments: part(store.segments, (method, [appends]) =>
        method === 'append' && Array.isArray(appends)
          ? { type: 'append', settles: appends.some((append) => Reflect.get(Object(append), 'settle')) }
          : null,
      ),
      checkpointer:
        typeof checkpointer === 'object' && checkpointer !== null
          ? part(checkpointer, saverWrite)
          : checkpointer,
      close: async () => {},
    },
  }
}
