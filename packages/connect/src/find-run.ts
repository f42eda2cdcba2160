import type { Client, StreamMode } from '@langchain/langgraph-sdk'
import { valueAt } from './value-at.ts'

/** A run that is going on, and whether and how it can be joined. */
export interface ActiveRun {
  readonly runId: string
  /** False when its stream is a destructive queue: an event that one reader has taken is lost to the others. */
  readonly isResumable: boolean
  /** Null when the server does not say. */
  readonly streamModes: readonly StreamMode[] | null
}

/** The newest pending or running run of a thread. The server's own lists are not ordered in every version. */
export async function findRun(
  client: Client,
  threadId: string,
  signal: AbortSignal,
): Promise<ActiveRun | null> {
  const active = []
  // In the order in which a run passes through them: the other way round, one that starts between the two requests is missed.
  for (const status of ['pending', 'running'] as const) {
    active.push(...(await client.runs.list(threadId, { status, limit: 10, signal })))
  }
  const [newest] = active
    .filter((run) => run.status === 'running' || run.status === 'pending')
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  if (newest === undefined) return null
  // `kwargs` is what the run was created with; the SDK's type leaves it out (1.12.0).
  const modes = valueAt(newest, 'kwargs', 'stream_mode')
  return {
    runId: newest.run_id,
    isResumable: valueAt(newest, 'kwargs', 'resumable') !== false,
    streamModes: modes === undefined ? null : [modes].flat().filter(isStreamMode),
  }
}

const MODES = {
  values: true,
  messages: true,
  'messages-tuple': true,
  updates: true,
  events: true,
  debug: true,
  tasks: true,
  checkpoints: true,
  custom: true,
  tools: true,
} satisfies Record<StreamMode, true>

function isStreamMode(mode: unknown): mode is StreamMode {
  return typeof mode === 'string' && mode in MODES
}
