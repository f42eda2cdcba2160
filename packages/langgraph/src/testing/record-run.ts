import { randomUUID } from 'node:crypto'
import { type Envelope, memoryLog } from '@clewline/core'
import {
  createLedger,
  type Draft,
  type RunOutcome,
  type RunRequest,
  type Source,
} from '@clewline/core/source'

/** In which thread to run, and what happens to the run. */
export interface RecordOptions {
  readonly thread_id?: string
  readonly checkpointer?: unknown
  readonly signal?: AbortSignal
  readonly drain?: AbortSignal
  /** Milliseconds that the reader takes for each envelope; the run waits for it. */
  readonly readerMs?: number
  /** Called with each envelope once it is logged. */
  readonly onEnvelope?: (envelope: Envelope) => void
  /** Stops recording after the envelope for which it is true, as if the process had died there. */
  readonly diesAt?: (envelope: Envelope) => boolean
}

/** What a run said and how it ended; `next` goes on from there. */
export interface Recording {
  readonly outcome: RunOutcome | { readonly status: 'died' }
  /** Everything of the trace so far, earlier runs of it included. */
  readonly envelopes: readonly Envelope[]
  readonly run_id: string
  readonly thread_id: string
  /** Runs again on the same thread and trace, as a runtime does for a resume or a recovery. */
  next(request: RunRequest, options?: RecordOptions): Promise<Recording>
}

/** Runs a source once with a ledger and a log of its own: the smallest runtime there can be. */
export function recordRun(
  source: Source,
  request: RunRequest,
  options: RecordOptions = {},
): Promise<Recording> {
  const thread_id = options.thread_id ?? randomUUID()
  return record(source, request, options, { thread_id, trace_id: randomUUID(), history: [] })
}

interface Before {
  readonly thread_id: string
  readonly trace_id: string
  readonly history: readonly Envelope[]
  readonly run_id?: string
}

async function record(
  source: Source,
  request: RunRequest,
  options: RecordOptions,
  before: Before,
): Promise<Recording> {
  const { thread_id, trace_id, history } = before
  // A recovery is the same run, taken up by another process.
  const run_id = request.kind === 'recover' ? (before.run_id ?? randomUUID()) : randomUUID()
  const log = memoryLog()
  const ledger = createLedger({ trace_id, run_id, history })
  const envelopes = [...history]
  const never = new AbortController().signal
  let isOver = false
  let isDead = false
  let die: () => void = () => {}
  const death = new Promise<{ status: 'died' }>((resolve) => {
    die = () => resolve({ status: 'died' })
  })

  async function emit(draft: Draft): Promise<void> {
    // The dead do nothing: a run that waits for ever is as good as gone.
    if (isDead) await new Promise(() => {})
    if (isOver) return
    const stamped = ledger.stamp(draft)
    envelopes.push(...stamped)
    await log.append(thread_id, stamped)
    for (const envelope of stamped) {
      options.onEnvelope?.(envelope)
      if (options.diesAt?.(envelope) !== true) continue
      isDead = true
      die()
    }
    if (isDead) await new Promise(() => {})
    if (options.readerMs !== undefined) await new Promise((resolve) => setTimeout(resolve, options.readerMs))
  }

  const run = source.run(request, {
    thread_id,
    checkpointer: options.checkpointer,
    run_id,
    trace_id,
    emit,
    isOpen: (path) => ledger.isOpen(path),
    signal: options.signal ?? never,
    drain: options.drain ?? never,
  })
  const outcome = await Promise.race([run, death])
  isOver = true
  const { signal: _signal, drain: _drain, diesAt: _diesAt, ...lasting } = options
  const after = { thread_id, trace_id, history: envelopes, run_id }
  const next: Recording['next'] = (again, more = {}) => record(source, again, { ...lasting, ...more }, after)
  return { outcome, envelopes, run_id, thread_id, next }
}
