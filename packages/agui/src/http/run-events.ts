import { EventType } from '@ag-ui/core'
import type { StartedRun, Threads, ThreadState } from '../threads.ts'
import { createTranslator } from '../translate/create-translator.ts'
import type { Batch } from './encode.ts'
import { followRun } from './follow-run.ts'
import type { AguiInput } from './parse-input.ts'
import { recall } from './recall.ts'
import { shownState } from './shown-state.ts'

export interface RunEvents {
  readonly threads: Threads
  readonly input: AguiInput
  readonly version: string | undefined
  /** The thread as it was when the run was asked for. */
  readonly thread: ThreadState | null
  readonly started: StartedRun
  readonly isResume: boolean
  readonly signal: AbortSignal
}

/** The run that a client has just started, from RUN_STARTED to its end. */
export async function* runEvents(options: RunEvents): AsyncGenerator<Batch> {
  const { threads, input, thread, started, signal } = options
  const snapshot = shownState(thread?.values ?? null, input.state)
  const about = {
    thread_id: input.threadId,
    ...(options.version !== undefined && { version: options.version }),
    known: [...(thread?.messages ?? []), ...input.messages].map((message) => message.id),
    hasFiles: typeof snapshot['files'] === 'object' && snapshot['files'] !== null,
  }
  // A resumed run goes on inside calls that an earlier run opened: they have to be known, not shown again.
  const earlier = options.isResume
    ? await recall(threads, input.threadId, about, {
        after: thread?.trace_position ?? 0,
        to: started.position,
        signal,
      })
    : undefined
  const translator = createTranslator(about, earlier)
  yield {
    events: [...translator.begin(started.run_id), { type: EventType.STATE_SNAPSHOT, snapshot }],
    position: started.position,
  }
  yield* followRun({
    threads,
    thread_id: input.threadId,
    run_id: started.run_id,
    after: started.position,
    translator,
    signal,
  })
}
