import type { AttachRun } from './attach-run.ts'
import { langGraphMessages } from './langgraph-messages.ts'
import { sleep } from './sleep.ts'

const FASTEST_MS = 250
const SLOWEST_MS = 2000

/**
 * Polls the state of a run. For runs that were created without `stream_resumable`: their stream is a destructive queue,
 * so joining it would take events from its reader.
 */
export async function followByState({ copy, threadId, run, state, guard, signal }: AttachRun): Promise<void> {
  const { client } = copy
  let shown = state.checkpoint.checkpoint_id
  let wait = FASTEST_MS
  for (;;) {
    const { status } = await client.runs.get(threadId, run.runId, { signal })
    const now = await client.threads.getState(threadId, undefined, { signal })
    const isOver = status !== 'pending' && status !== 'running'
    if (now.checkpoint.checkpoint_id !== shown || isOver) {
      shown = now.checkpoint.checkpoint_id
      wait = FASTEST_MS
      guard.snapshot(copy.getStateSnapshot(now), langGraphMessages(now.values))
    }
    if (status === 'error' || status === 'timeout')
      return guard.fail({
        code: 'run_failed',
        message: `The run ended as "${status}". Its error is in the server's log.`,
      })
    if (isOver) return
    await sleep(wait, signal)
    wait = Math.min(wait * 1.5, SLOWEST_MS)
  }
}
