import type { ChatDocument } from './chat-document.ts'
import type { Task, TaskRunOptions } from './task.ts'

export interface BatchOptions<Item, Result> extends Pick<
  TaskRunOptions,
  'signal' | 'turns' | 'userResponse'
> {
  /** What the task is asked about an item. Default: the item as text. */
  readonly inputOf?: (item: Item) => string | ChatDocument
  /** What is kept of its result. Default: its content, or null. */
  readonly outputOf?: (result: ChatDocument | null) => Result
  /** Runs at a time. Default 8. */
  readonly concurrency?: number
  /** Stop when a result is not null; the others are null then. Default false. */
  readonly stopOnFirstResult?: boolean
}

/** Runs a copy of a task for each item. The results are in the order of the items. Rejects as soon as one run does. */
export async function runBatch<Item, Result = string | null>(
  task: Task,
  items: readonly Item[],
  options: BatchOptions<Item, Result>,
): Promise<readonly (Result | null)[]>
export async function runBatch(task: Task, items: readonly unknown[]): Promise<readonly (string | null)[]>
export async function runBatch<Item>(
  task: Task,
  items: readonly Item[],
  options: BatchOptions<Item, unknown> = {},
): Promise<readonly unknown[]> {
  const { inputOf = String, outputOf = contentOf, concurrency = 8, signal, ...run } = options
  const results: unknown[] = items.map(() => null)
  const stop = new AbortController()
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const queue = items.entries()
  let isFound = false

  async function work(): Promise<void> {
    for (const [i, item] of queue) {
      signal?.throwIfAborted()
      if (isFound) return
      const result = await task.clone().run(inputOf(item), { ...run, signal: stopped })
      if (isFound) return
      results[i] = outputOf(result)
      if (options.stopOnFirstResult && results[i] !== null) {
        isFound = true
        stop.abort()
      }
    }
  }

  const workers = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    try {
      await work()
    } catch (error) {
      if (isFound) return
      stop.abort()
      throw error
    }
  })
  await Promise.all(workers)
  return results
}

function contentOf(result: ChatDocument | null): string | null {
  return result?.content ?? null
}
