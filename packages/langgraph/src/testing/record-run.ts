import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Envelope } from '@clewline/core'
import { driveRun, type RunOutcome, type RunRequest, type Source } from '@clewline/core/source'

/** In which thread to run, and what happens to the run. */
export interface RecordOptions {
  readonly thread_id?: string
  readonly checkpointer?: unknown
  readonly signal?: AbortSignal
  readonly drain?: AbortSignal
  /** Milliseconds that the reader takes for each envelope; the run waits for it. */
  readonly readerMs?: number
  /** Called with each envelope once it is kept. */
  readonly onEnvelope?: (envelope: Envelope) => void
  /** Stops recording after the envelope for which it is true, as if the process had died there. */
  readonly diesAt?: (envelope: Envelope) => boolean
  /** The process dies when this resolves: that of a checkpointer, for one. */
  readonly died?: Promise<unknown>
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

/** Runs a source once and keeps what it said: the smallest runtime there can be. */
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
  const envelopes = [...history]
  let isDead = false
  let die: () => void = () => {}
  const death = new Promise<{ status: 'died' }>((resolve) => {
    die = () => resolve({ status: 'died' })
  })

  async function write(stamped: readonly Envelope[]): Promise<void> {
    if (!isDead) {
      envelopes.push(...stamped)
      for (const envelope of stamped) {
        options.onEnvelope?.(envelope)
        isDead ||= options.diesAt?.(envelope) === true
      }
      if (isDead) die()
    }
    // A process that died goes no further: what it ran waits for ever.
    if (isDead) await new Promise(() => {})
    if (options.readerMs !== undefined) await sleep(options.readerMs)
  }

  void options.died?.then(() => {
    isDead = true
    die()
  })
  const { checkpointer, signal, drain } = options
  const run = driveRun(source, request, {
    thread_id,
    run_id,
    trace_id,
    history,
    checkpointer,
    write,
    ...(signal !== undefined && { signal }),
    ...(drain !== undefined && { drain }),
  })
  const outcome = await Promise.race([run, death])
  const { signal: _signal, drain: _drain, diesAt: _diesAt, died: _died, ...lasting } = options
  const after = { thread_id, trace_id, history: envelopes, run_id }
  const next: Recording['next'] = (again, more = {}) => record(source, again, { ...lasting, ...more }, after)
  return { outcome, envelopes, run_id, thread_id, next }
}
