import { randomUUID } from 'node:crypto'
import type { Envelope, Json } from '@clewline/core'
import { createLedger, type RunOutcome, type RunRequest, type Source } from '@clewline/core/source'

/** Which thread to run in, where its states are kept, and what came before. */
export interface StreamRunOptions {
  /** Default: a new thread. */
  readonly thread_id?: string
  /** A LangGraph checkpointer. Default: the graph's own, or one in memory. */
  readonly checkpointer?: unknown
  /** Goes on with the calls that these envelopes of an earlier run left open: for resumes. */
  readonly history?: readonly Envelope[]
  readonly signal?: AbortSignal
}

/** How many envelopes may wait for their reader before the run waits too. */
const ROOM = 64

/**
 * Runs a source without a server: its envelopes as they come, and in the end its outcome. The run waits for a slow
 * reader, and a reader that leaves cancels it.
 */
export async function* streamRun(
  source: Source,
  request: RunRequest | { readonly input: Json },
  options: StreamRunOptions = {},
): AsyncGenerator<Envelope, RunOutcome> {
  const { history = [] } = options
  // A recovery is the same run again: its id is what its checkpoints are marked with.
  const isRecovery = 'kind' in request && request.kind === 'recover'
  const run_id = (isRecovery ? history.at(-1)?.run_id : undefined) ?? randomUUID()
  const trace_id = history[0]?.trace_id ?? randomUUID()
  const ledger = createLedger({ trace_id, run_id, history })
  const leave = new AbortController()
  const signal = options.signal === undefined ? leave.signal : AbortSignal.any([options.signal, leave.signal])
  const queue: Envelope[] = []
  let arrived = signalled()
  let taken = signalled()
  let isOver = false

  const run = source
    .run('kind' in request ? request : { kind: 'input', input: request.input }, {
      thread_id: options.thread_id ?? randomUUID(),
      checkpointer: options.checkpointer,
      run_id,
      trace_id,
      isOpen: (path) => ledger.isOpen(path),
      signal,
      drain: new AbortController().signal,
      emit(draft) {
        queue.push(...ledger.stamp(draft))
        arrived.signal()
        return queue.length < ROOM || leave.signal.aborted ? undefined : taken.wait
      },
    })
    .finally(() => {
      isOver = true
      arrived.signal()
    })
  // It is awaited when everything that came before has been read; until then a failure must not count as unhandled.
  run.catch(() => {})

  try {
    for (;;) {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        if (queue.length < ROOM / 2) {
          taken.signal()
          taken = signalled()
        }
        yield next
      }
      if (isOver) break
      await arrived.wait
      arrived = signalled()
    }
    return await run
  } finally {
    leave.abort()
    taken.signal()
    await run.catch(() => {})
  }
}

function signalled(): { readonly wait: Promise<void>; signal(): void } {
  let signal = (): void => {}
  const wait = new Promise<void>((resolve) => {
    signal = resolve
  })
  return { wait, signal: () => signal() }
}
