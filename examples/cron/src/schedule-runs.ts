import type { Client } from '@langchain/langgraph-sdk'
import { runThroughApi } from '@clewline/connect'
import { Cron } from 'croner'

export interface ScheduledRuns {
  readonly client: Client
  /** Five fields, or six with seconds. */
  readonly schedule: string
  readonly threadId: string
  readonly assistantId: string
  /** What each tick asks. */
  readonly input: () => Record<string, unknown>
  /** A tick that failed. The next one comes all the same. */
  readonly onError: (error: unknown) => void
}

/**
 * A cron in your own process. Each tick used to call `graph.invoke(…)`, which nobody could watch; now it creates a run
 * on the server, and whoever has the thread open sees it. A tick that comes while the last run is going on is skipped.
 */
export function scheduleRuns(options: ScheduledRuns): { stop(): void } {
  const { client, schedule, threadId, assistantId, input, onError } = options
  const leaving = new AbortController()
  const cron = new Cron(schedule, { protect: true }, async () => {
    try {
      const run = await runThroughApi(client, {
        threadId,
        assistantId,
        input: input(),
        metadata: { source: 'cron' },
        signal: leaving.signal,
      })
      await run.finished()
    } catch (error) {
      if (!leaving.signal.aborted) onError(error)
    }
  })
  return {
    stop() {
      cron.stop()
      leaving.abort()
    },
  }
}
