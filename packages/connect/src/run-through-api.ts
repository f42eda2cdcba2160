import type { Client, Run } from '@langchain/langgraph-sdk'
import { sleep } from './sleep.ts'
import { abortScope } from './abort-scope.ts'

/** Which graph to run, in which thread, with what. */
export interface RunThroughApi {
  readonly threadId: string
  /** An assistant's id, or the name of a graph. */
  readonly assistantId: string
  readonly input: Record<string, unknown> | null
  /** Passed on as it is. */
  readonly config?: { readonly configurable?: Record<string, unknown>; readonly recursion_limit?: number }
  readonly metadata?: Record<string, unknown>
  readonly afterSeconds?: number
  /** Ends the waiting of `finished`, not the run. */
  readonly signal?: AbortSignal
}

/** A run on the server, under way. */
export interface ApiRun {
  readonly runId: string
  /** Resolves with the thread's values when the run is over; rejects when it failed. */
  readonly finished: () => Promise<Record<string, unknown>>
}

/**
 * What code that used to call `graph.invoke` (a cron in the same process, say) calls instead: the run is created on the
 * server, with the stream that `connect()` reads, so that every client of the thread sees it. Runs of a thread are
 * queued: one that comes while another is active waits for it.
 */
export async function runThroughApi(client: Client, options: RunThroughApi): Promise<ApiRun> {
  const { threadId, assistantId, input, config, metadata, afterSeconds, signal } = options
  const run = await client.runs.create(threadId, assistantId, {
    input,
    streamMode: ['events', 'values', 'updates', 'messages-tuple'],
    streamSubgraphs: true,
    streamResumable: true,
    multitaskStrategy: 'enqueue',
    ifNotExists: 'create',
    ...(config !== undefined && { config: { ...config } }),
    ...(metadata !== undefined && { metadata: { ...metadata } }),
    ...(afterSeconds !== undefined && { afterSeconds }),
  })
  return {
    runId: run.run_id,
    async finished() {
      const requests = abortScope(signal)
      const ended = await over(client, threadId, run, requests.signal).finally(requests.end)
      if (ended.status === 'error' || ended.status === 'timeout')
        throw new Error(`Run ${run.run_id} ended as "${ended.status}". Its error is in the server's log.`)
      const { values } = await client.threads.getState<Record<string, unknown>>(threadId)
      return values
    },
  }
}

// Polls instead of runs.join, which reads the run's stream: where that is a destructive queue, it takes events from others.
async function over(client: Client, threadId: string, run: Run, signal: AbortSignal): Promise<Run> {
  let wait = 100
  for (;;) {
    const now = await client.runs.get(threadId, run.run_id, { signal })
    if (now.status !== 'pending' && now.status !== 'running') return now
    await sleep(wait, signal)
    wait = Math.min(wait * 1.5, 2000)
  }
}
