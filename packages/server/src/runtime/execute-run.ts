import type { Envelope } from '@clewline/core'
import type { Draft, Ledger, RunContext, RunOutcome, Source } from '@clewline/core/source'
import type { Run, RunError } from '../store/store.ts'
import { beginRun, requestFor } from './begin-run.ts'
import { closeAbandoned } from './close-abandoned.ts'
import { logBeforeCheckpoint } from './log-before-checkpoint.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { settlementOf } from './settlement.ts'
import { signDraft } from './sign-draft.ts'
import { ledgerFor } from './trace-history.ts'
import { createWatchdog } from './watchdog.ts'

/**
 * Why a run is stopped. `no-state`: its state cannot be saved. `lost`: its lease is, so another worker may have it and
 * nothing more may be emitted. `left`: this process is shutting down.
 */
export type StopReason = 'cancel' | 'deadline' | 'no-state' | 'lost' | 'left'

export interface RunningRun {
  readonly run: Run
  /** Resolves when the run is over here, with whether it was given back to be taken up by another worker. */
  readonly done: Promise<'settled' | 'released' | 'lost'>
  stop(reason: StopReason): void
  drain(): void
}

export interface ExecuteOptions {
  /** A worker may die with a run so often before the run is given up. */
  readonly maxCrashes: number
  /** A call that says nothing for so long gets a warning. */
  readonly silentMs: number
  /** The grace period of a source whose signal was aborted; after it the run ends without it. */
  readonly stopGraceMs: number
}

/** Renews the worker's leases if they may have expired, and stops the runs that another worker has claimed. */
export type KeepLeases = () => void | Promise<void>

/** Runs one attempt of a run to its end, its interrupt or its hand-over. Never rejects. */
export function executeRun(
  runtime: RuntimeContext,
  run: Run,
  options: ExecuteOptions,
  keepLeases: KeepLeases,
): RunningRun {
  const stopping = new AbortController()
  const draining = new AbortController()
  const fence = { run_id: run.run_id, attempt: run.attempt }
  const writer = runtime.log.writer(run.thread_id, fence)
  let reason: StopReason | null = null
  let noState: RunError | null = null
  let hasRoot = false

  function stop(why: StopReason): void {
    if (reason !== null && why !== 'lost') return
    reason = why
    stopping.abort(new DOMException(`The run was stopped (${why}).`, 'AbortError'))
  }

  async function attempt(): Promise<'settled' | 'released' | 'lost'> {
    // In a turn of its own: the request that created the run is answered before the agent takes the processor.
    await new Promise((resolve) => setImmediate(resolve))
    const source = runtime.agents.get(run.agent)
    // Where other processes append too, the tail that is known here may be stale.
    if (runtime.store.isShared) await runtime.log.refresh(run.thread_id)
    if (run.position === null && run.request.kind === 'input') await closeAbandoned(runtime, run, writer)
    const begun = await beginRun(runtime, run, source)
    const { ledger, hasHistory } = await ledgerFor(runtime, begun)
    hasRoot = hasHistory
    const outcome = await outcomeOf(source, begun, ledger)
    if (reason === 'lost') return 'lost'
    if (outcome.status === 'drained' || reason === 'left') {
      await writer.flush()
      return (await runtime.store.runs.release(fence)) ? 'released' : 'lost'
    }
    const { envelopes, settlement } = settlementOf(ledger, run, { outcome, reason, hasRoot })
    await writer.push(envelopes)
    await writer.flush(settlement)
    runtime.metrics.runsEnded.inc({ status: settlement.status })
    return 'settled'
  }

  async function outcomeOf(source: Source | undefined, begun: Run, ledger: Ledger): Promise<RunOutcome> {
    const problem = whyRefused(source, begun, options)
    if (source === undefined || problem !== null) {
      return { status: 'error', error: { name: 'CannotContinue', message: problem ?? '' } }
    }
    const request = await requestFor(runtime, begun, source)
    const { context, end } = contextFor(begun, ledger, request.kind === 'resume')
    const seconds = begun.request.config?.deadline_seconds
    const deadline = seconds === undefined ? null : setTimeout(() => stop('deadline'), seconds * 1000)
    try {
      const outcome = await Promise.race([
        source.run(request, context),
        afterGrace(stopping.signal, options.stopGraceMs),
      ])
      return noState === null ? outcome : { status: 'error', error: noState }
    } catch (error) {
      return { status: 'error', error: noState ?? errorOf(error) }
    } finally {
      if (deadline !== null) clearTimeout(deadline)
      end()
    }
  }

  function contextFor(
    begun: Run,
    ledger: Ledger,
    isResume: boolean,
  ): { context: RunContext; end: () => void } {
    const watchdog = createWatchdog(options.silentMs)
    const takenAt = runtime.now()
    let hasToken = false
    let isOver = false

    function emit(draft: Draft): void | Promise<void> {
      // The next attempt continues from the calls that are open: an end emitted now would close them for it.
      if (isOver || reason === 'lost' || reason === 'left' || isItsOwnEnd(draft)) return
      const signed = signDraft(draft, run, isResume)
      const envelopes = runtime.limit(signed).flatMap((admitted) => ledger.stamp(admitted))
      if (envelopes.length === 0) return
      if (draft.type === 'tool_start' && draft.path.length === 0) hasRoot = true
      watchdog.note(draft, envelopes, runtime.now())
      if (draft.type === 'llm_token' && !hasToken) {
        hasToken = true
        runtime.metrics.firstToken.observe((runtime.now() - takenAt) / 1000)
      }
      if (draft.type === 'warning') runtime.metrics.warnings.inc({ code: draft.payload.code })
      return pushOrStop(envelopes)
    }

    const timer = setInterval(
      () => {
        for (const draft of watchdog.check(runtime.now())) void emit(draft)
      },
      Math.max(50, Math.min(1_000, options.silentMs / 4)),
    )
    timer.unref()

    const context: RunContext = {
      thread_id: begun.thread_id,
      run_id: begun.run_id,
      trace_id: begun.trace_id,
      checkpointer: logBeforeCheckpoint(runtime.store.checkpointer, {
        before: () => flushBeforeSave(() => !isOver && reason !== 'lost' && reason !== 'left'),
        failed(error, what) {
          // The run is claimed again when the store is available, and continues from the last state in it.
          if (runtime.store.isUnavailable?.(error)) return stop('lost')
          const message = `The state could not be ${what}: ${errorOf(error).message}`
          noState ??= { name: 'NoState', message }
          stop('no-state')
        },
      }),
      emit,
      isOpen: (path) => ledger.isOpen(path),
      signal: stopping.signal,
      drain: draining.signal,
    }
    return {
      context,
      end() {
        isOver = true
        clearInterval(timer)
      },
    }
  }

  /** The source reports that it was cancelled; the runtime's own end says why. */
  function isItsOwnEnd(draft: Draft): boolean {
    if (reason !== 'deadline' && reason !== 'no-state') return false
    return draft.type === 'tool_end' && draft.path.length === 0 && draft.payload.status === 'cancelled'
  }

  /** Fencing for states: a run that is over here, or lost, saves nothing more, since it would overwrite a newer state. */
  async function flushBeforeSave(maySave: () => boolean): Promise<boolean> {
    if (!maySave()) return false
    try {
      await writer.flush()
      // A process that was frozen finds out before it saves a state, not after.
      await keepLeases()
    } catch {
      stop('lost')
    }
    return maySave()
  }

  /** A refused append means that the lease is lost: the run stops, and emits nothing more. */
  function pushOrStop(envelopes: readonly Envelope[]): void | Promise<void> {
    try {
      return writer.push(envelopes)?.catch(() => stop('lost'))
    } catch {
      stop('lost')
    }
  }

  return {
    run,
    done: attempt()
      .catch(() => 'lost' as const)
      .then(async (how) => {
        // If the lease is still held here, something failed: the heartbeat must not renew it for a run that no longer runs.
        if (how === 'lost') await runtime.store.runs.expireLease(fence).catch(() => {})
        return how
      }),
    stop,
    drain: () => draining.abort(),
  }
}

function whyRefused(source: Source | undefined, run: Run, { maxCrashes }: ExecuteOptions): string | null {
  if (source === undefined) return `No agent is named "${run.agent}" any more.`
  if (run.crashes > maxCrashes) return `The process died ${run.crashes} times with this run; it is given up.`
  return null
}

/** Resolves when a source has not stopped within its grace period. */
function afterGrace(signal: AbortSignal, graceMs: number): Promise<RunOutcome> {
  return new Promise((resolve) => {
    const wait = (): void => {
      setTimeout(() => resolve({ status: 'cancelled' }), graceMs).unref()
    }
    if (signal.aborted) wait()
    else signal.addEventListener('abort', wait, { once: true })
  })
}

function errorOf(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) }
}
