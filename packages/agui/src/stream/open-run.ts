import { EventType } from '@ag-ui/core'
import type { StartedRun, Threads, ThreadState } from '../threads.ts'
import { clientState, hasFiles } from './client-state.ts'
import type { AguiInput } from './parse-input.ts'
import type { Opening } from './stream-events.ts'
import { entriesAfter, translatorAt } from './translator-at.ts'

export interface OpenRun {
  readonly threads: Threads
  readonly input: AguiInput
  readonly version: string | undefined
  /** The thread as it was when the run was asked for. */
  readonly thread: ThreadState | null
  readonly started: StartedRun
  readonly isResume: boolean
  readonly signal: AbortSignal
}

/** The stream of a run that a client has just started: RUN_STARTED, its state, then the run. */
export async function openRun(options: OpenRun): Promise<Opening> {
  const { threads, input, version, thread, started, isResume, signal } = options
  const { run_id, position } = started
  const snapshot = clientState(thread?.values ?? null, input.state)
  // A resumed run goes on inside calls that an earlier run opened: they have to be known, not shown again.
  const earlier = isResume
    ? await entriesAfter(threads, input.threadId, thread?.trace_position ?? 0, signal)
    : []
  const translator = translatorAt(
    earlier.filter((entry) => entry.position <= position),
    {
      thread_id: input.threadId,
      ...(version !== undefined && { version }),
      known: [...(thread?.messages ?? []), ...input.messages].map((message) => message.id),
      hasFiles: hasFiles(snapshot),
    },
  )
  const events = [...translator.begin(run_id), { type: EventType.STATE_SNAPSHOT as const, snapshot }]
  return { batch: { events, position }, run: { run_id, translator } }
}
