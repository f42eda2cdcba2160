import type { Envelope } from '../envelope.ts'
import type { Json } from '../json.ts'
import { createQueue } from '../queue.ts'
import { driveRun } from './drive-run.ts'
import type { RunOutcome, RunRequest, Source } from './source.ts'

/** Which thread to run in, where its states are kept, and what came before. */
export interface StreamRunOptions {
  /** Default: a new thread. */
  readonly thread_id?: string
  /** The framework's own store of states. Default: the agent's own, or one in memory. */
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
  const { history = [], checkpointer, thread_id = crypto.randomUUID() } = options
  // A recovery is the same run again: its id is what its checkpoints are marked with.
  const isRecovery = 'kind' in request && request.kind === 'recover'
  const run_id = (isRecovery ? history.at(-1)?.run_id : undefined) ?? crypto.randomUUID()
  const leave = new AbortController()
  const queue = createQueue<Envelope>(ROOM)
  const run = driveRun(source, 'kind' in request ? request : { kind: 'input', input: request.input }, {
    thread_id,
    checkpointer,
    run_id,
    trace_id: history[0]?.trace_id ?? crypto.randomUUID(),
    history,
    signal: options.signal === undefined ? leave.signal : AbortSignal.any([options.signal, leave.signal]),
    write(envelopes) {
      let room: void | Promise<void> = undefined
      for (const envelope of envelopes) room = queue.push(envelope)
      return room
    },
  })
  run.then(queue.close, queue.fail)
  try {
    yield* queue
    return await run
  } finally {
    leave.abort()
    await run.catch(() => {})
  }
}
