import { randomUUID } from 'node:crypto'
import { type Envelope, memoryLog } from '@skein/core'
import { createLedger, type Draft, type RunOutcome, type RunRequest, type Source } from '@skein/core/source'

export interface RecordOptions {
  readonly thread_id?: string
  readonly checkpointer?: unknown
  readonly signal?: AbortSignal
  readonly drain?: AbortSignal
  /** Milliseconds that the reader takes for each envelope; the run waits for it. */
  readonly readerMs?: number
  /** Called with each envelope once it is logged. */
  readonly onEnvelope?: (envelope: Envelope) => void
}

export interface Recording {
  readonly outcome: RunOutcome
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
  return record(source, request, options, {
    thread_id: options.thread_id ?? randomUUID(),
    trace_id: randomUUID(),
    history: [],
  })
}

interface Before {
  readonly thread_id: string
  readonly trace_id: string
  readonly history: readonly Envelope[]
}

async function record(
  source: Source,
  request: RunRequest,
  options: RecordOptions,
  before: Before,
): Promise<Recording> {
  const { thread_id, trace_id, history } = before
  const run_id = randomUUID()
  const log = memoryLog()
  const ledger = createLedger({ trace_id, run_id, history })
  const envelopes = [...history]
  let isOver = false

  async function emit(draft: Draft): Promise<void> {
    if (isOver) return
    const stamped = ledger.stamp(draft)
    envelopes.push(...stamped)
    await log.append(thread_id, stamped)
    for (const envelope of stamped) options.onEnvelope?.(envelope)
    if (options.readerMs !== undefined) await new Promise((resolve) => setTimeout(resolve, options.readerMs))
  }

  const outcome = await source.run(request, {
    thread_id,
    checkpointer: options.checkpointer,
    run_id,
    trace_id,
    emit,
    isOpen: (path) => ledger.isOpen(path),
    signal: options.signal ?? new AbortController().signal,
    drain: options.drain ?? new AbortController().signal,
  })
  isOver = true
  const next: Recording['next'] = (request, again = {}) =>
    record(source, request, { ...options, signal: undefined, drain: undefined, ...again } as RecordOptions, {
      thread_id,
      trace_id,
      history: envelopes,
    })
  return { outcome, envelopes, run_id, thread_id, next }
}
