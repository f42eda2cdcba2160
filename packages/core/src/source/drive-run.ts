import type { Envelope } from '../envelope.ts'
import { createLedger, type Ending, type LedgerOptions } from './ledger.ts'
import type { RunContext, RunOutcome, RunRequest, Source, ThreadContext } from './source.ts'

/** Which run it is, where its envelopes go, and what stops it. */
export interface DriveOptions extends LedgerOptions, Pick<ThreadContext, 'thread_id'> {
  readonly checkpointer?: unknown
  /** Cancels the run. */
  readonly signal?: AbortSignal
  /** Stops the run where it can be recovered. */
  readonly drain?: AbortSignal
  /** Takes the envelopes, in order. A promise is the backpressure: the source waits for it. */
  write(envelopes: readonly Envelope[]): void | Promise<void>
}

/**
 * Runs a source through a ledger: the core of every runtime. Drafts that come after the end are dropped. Calls that a
 * finished run left open are closed; those of an interrupted or drained run stay open, for the run that goes on with
 * them. Rejects when the source or `write` does, and closes nothing then: also when the source did not await the write
 * that failed, or went on after it. Nothing is written after it, since that would leave a gap.
 */
export async function driveRun(
  source: Pick<Source, 'run'>,
  request: RunRequest,
  options: DriveOptions,
): Promise<RunOutcome> {
  const { thread_id, run_id, trace_id, checkpointer, signal = never(), drain = never() } = options
  const ledger = createLedger(options)
  let isOver = false
  /** The last write that takes its time. */
  let writing: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | null = null

  function fail(error: unknown): void {
    failure ??= { error }
  }

  function throwFailure(): void {
    if (failure !== null) throw failure.error
  }

  function write(envelopes: readonly Envelope[]): void | Promise<void> {
    throwFailure()
    try {
      const written = options.write(envelopes)
      if (written === undefined) return
      written.catch(fail)
      return (writing = written)
    } catch (error) {
      fail(error)
      throw error
    }
  }

  const context: RunContext = {
    thread_id,
    run_id,
    trace_id,
    checkpointer,
    signal,
    drain,
    isOpen: (path) => ledger.isOpen(path),
    emit(draft) {
      const envelopes = isOver ? [] : ledger.stamp(draft)
      return envelopes.length === 0 ? undefined : write(envelopes)
    },
  }
  let outcome: RunOutcome
  try {
    outcome = await source.run(request, context)
  } finally {
    isOver = true
  }
  await writing
  throwFailure()
  const ending = endingOf(outcome)
  const left = ending === null ? [] : ledger.close(ending)
  if (left.length > 0) await write(left)
  return outcome
}

/** How calls end that the run left open; null when they do not end. */
function endingOf(outcome: RunOutcome): Ending | null {
  switch (outcome.status) {
    case 'interrupted':
    case 'drained':
      return null
    case 'error':
      return { ...outcome.error, status: 'error' }
    // A run that succeeded has ended its calls; one that is still open was cut off.
    case 'success':
    case 'cancelled':
      return { status: 'cancelled' }
  }
}

const never = (): AbortSignal => new AbortController().signal
