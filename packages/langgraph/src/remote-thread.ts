import { isRecord } from '@clewline/core'
import type { Client } from '@langchain/langgraph-sdk'
import { callId } from '@clewline/core/source'
import type { GraphState } from './graph.ts'
import { RUN_ID } from './mark-checkpoints.ts'

const IS_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** LangGraph servers want UUIDs; any other thread id gets the same one every time. */
export function remoteThreadId(thread_id: string): string {
  return IS_UUID.test(thread_id) ? thread_id : callId('thread', [thread_id])
}

/** A server's answer about a thread, in the form of LangGraph's own snapshot. */
export async function remoteState(client: Client, thread: string): Promise<GraphState> {
  return stateOf(await client.threads.getState(thread))
}

/** The id that a server gave to a run of ours; undefined when it never got it. */
export async function remoteRun(client: Client, thread: string, run_id: string): Promise<string | undefined> {
  const runs = await client.runs.list(thread, { limit: 20 }).catch((error: unknown) => {
    // A thread that the server does not know has no runs.
    if (isRecord(error) && error['status'] === 404) return []
    throw error
  })
  return runs.find((one) => isRecord(one.metadata) && one.metadata[RUN_ID] === run_id)?.run_id
}

export function stateOf(state: unknown): GraphState {
  const fields = isRecord(state) ? state : {}
  const tasks = Array.isArray(fields['tasks']) ? fields['tasks'].filter(isRecord) : []
  const configOf = (checkpoint: unknown): GraphState['config'] => ({
    configurable: isRecord(checkpoint) ? checkpoint : {},
  })
  return {
    values: fields['values'] ?? {},
    next: Array.isArray(fields['next']) ? fields['next'].filter((name) => typeof name === 'string') : [],
    metadata: isRecord(fields['metadata']) ? fields['metadata'] : undefined,
    config: configOf(fields['checkpoint']),
    parentConfig: configOf(fields['parent_checkpoint']),
    createdAt: typeof fields['created_at'] === 'string' ? fields['created_at'] : undefined,
    tasks: tasks.map((task) => ({
      id: String(task['id']),
      name: String(task['name']),
      interrupts: Array.isArray(task['interrupts']) ? task['interrupts'].filter(isRecord).map(raisedOf) : [],
    })),
  }
}

function raisedOf({ id, interrupt_id, value }: Record<string, unknown>): { id?: string; value?: unknown } {
  const known = id ?? interrupt_id
  return { value, ...(typeof known === 'string' && { id: known }) }
}
