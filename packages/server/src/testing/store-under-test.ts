import { BaseCheckpointSaver, emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import { expect } from 'vitest'
import type { Append, Cron, Run, Store, Thread } from '../store/store.ts'

/** Long ago, and a moment after it: due by any clock. */
const PAST = '2020-01-01T00:00:00.000Z'
export const PAST_LATER = '2020-01-01T00:00:01.000Z'
/** Due by no clock. */
export const FUTURE = '2100-01-01T00:00:00.000Z'
/** A lease that outlives any test. */
export const LEASE_MS = 600_000

/** A store with what its tests do again and again. The tests share it and run one after the other. */
export interface StoreUnderTest {
  readonly store: () => Store
  /** Inserts a thread; resolves with its id. */
  readonly thread: (change?: Partial<Thread>) => Promise<string>
  /** Claims and ends every run that is due, also those that a worker holds. */
  readonly drainQueue: () => Promise<void>
  /** A run on the thread that worker `w` has just claimed. */
  readonly claimed: (thread_id: string) => Promise<Run>
  /** Resolves when the store's clock has moved on. */
  readonly tick: () => Promise<void>
}

export function storeUnderTest(store: () => Store): StoreUnderTest {
  async function drainQueue(): Promise<void> {
    const { runs, segments } = store()
    await runs.expireAllLeases()
    for (;;) {
      const run = await runs.claim('drain', LEASE_MS)
      if (run === null) return
      const { thread_id, run_id, attempt } = run
      const settle = { status: 'success', thread_status: 'idle', error: null } as const
      const none = { first: 1, last: 0, bytes: bytesOf('') }
      await segments.append([{ thread_id, ...none, fence: { run_id, attempt }, settle }])
    }
  }

  return {
    store,
    drainQueue,
    async thread(change) {
      const id = freshId('thread')
      await store().threads.insert(threadRow(id, change))
      return id
    },
    async claimed(thread_id) {
      await drainQueue()
      const run = runRow(thread_id)
      await store().runs.insert(run)
      const taken = await store().runs.claim('w', LEASE_MS)
      expect(taken?.run_id).toBe(run.run_id)
      return taken!
    },
    async tick() {
      const before = await store().now()
      await expect.poll(() => store().now(), { interval: 1 }).not.toBe(before)
    },
  }
}

let made = 0
export const freshId = (what: string): string => `${what}-${(made += 1)}`

export const threadRow = (thread_id: string, change: Partial<Thread> = {}): Thread => ({
  thread_id,
  title: null,
  agent: null,
  status: 'idle',
  created_at: PAST,
  updated_at: PAST,
  owner: null,
  metadata: {},
  ...change,
})

export const runRow = (thread_id: string, change: Partial<Run> = {}): Run => ({
  run_id: freshId('run'),
  thread_id,
  trace_id: freshId('trace'),
  agent: 'a',
  owner: null,
  priority: 'normal',
  status: 'pending',
  request: { kind: 'input', input: { messages: [] } },
  attempt: 0,
  created_at: PAST,
  started_at: null,
  ended_at: null,
  run_at: PAST,
  cron_id: null,
  error: null,
  crashes: 0,
  position: null,
  end_position: null,
  base_checkpoint: null,
  ...change,
})

export const cronRow = (change: Partial<Cron> = {}): Cron => ({
  cron_id: freshId('cron'),
  schedule: '* * * * *',
  timezone: 'UTC',
  thread_id: null,
  agent: 'a',
  input: { n: 1 },
  on_overlap: 'skip',
  created_at: PAST,
  next_at: PAST_LATER,
  last_at: null,
  last_run_id: null,
  owner: null,
  ...change,
})

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export const appendOf = (
  thread_id: string,
  first: number,
  last: number,
  change: Partial<Append> = {},
): Append => ({ thread_id, first, last, bytes: bytesOf(`${first}-${last}`), ...change })

/** Saves a state of a thread, with a value and a write beside it. */
export async function saveState(store: Store, thread_id: string): Promise<void> {
  const checkpoint = { ...emptyCheckpoint(), channel_values: { a: 1 }, channel_versions: { a: 1 } }
  const at = { configurable: { thread_id, checkpoint_ns: '' } }
  const saver = saverOf(store)
  const saved = await saver.put(at, checkpoint, { source: 'input', step: -1, parents: {} }, { a: 1 })
  await saver.putWrites(saved, [['a', 2]], 'task')
}

export async function hasState(store: Store, thread_id: string): Promise<boolean> {
  return (await saverOf(store).getTuple({ configurable: { thread_id } })) !== undefined
}

function saverOf({ checkpointer }: Store): BaseCheckpointSaver {
  if (checkpointer instanceof BaseCheckpointSaver) return checkpointer
  throw new TypeError('The checkpointer of the store is not a BaseCheckpointSaver.')
}
