import type { Envelope } from '@clewline/core'
import type { Draft, Ledger, RunContext, RunOutcome, Source } from '@clewline/core/source'
import { isLocked } from '../encrypt/encrypt-store.ts'
import type { Run, RunError } from '../store/store.ts'
import { failureText, type OnFailure } from './failure-text.ts'
import { beginRun, requestFor } from './begin-run.ts'
import { closeAbandoned } from './close-abandoned.ts'
import { endRun } from './end-run.ts'
import { logBeforeCheckpoint } from './log-before-checkpoint.ts'
import { redactOutcome } from '../redact/redact-outcome.ts'
import { redactRun } from '../redact/redact-run.ts'
import { retryDelay } from './retry-delay.ts'
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
  /** So many attempts in a row may fail, or die with their worker, without getting anywhere before the run is given up. */
  readonly maxCrashes: number
  /** A call that says nothing for so long gets a warning. */
  readonly silentMs: number
  /** The grace period of a source whose signal was aborted; after it the run ends without it. */
  readonly stopGraceMs: number
  /** Whether envelopes of failed calls have the stack of the error. */
  readonly keepStacks: boolean
  /** Gets the stacks of failed calls. */
  readonly onFailure: OnFailure
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
  /** Whether the attempt goes on with the run's answers, not by itself. */
  let isResume = false
  let { crashes } = run
  let wasUnavailable = false

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
    const problem = whyRefused(source, run, options)
    if (source === undefined || problem !== null) {
      const error = { name: 'CannotContinue', message: problem ?? '' }
      await endRun(runtime, run, { outcome: { status: 'error', error }, reason })
      return 'settled'
    }
    const { ledger, hasHistory, ended } = await ledgerFor(runtime, run)
    hasRoot = hasHistory
    const outcome = await outcomeOf(source, ledger, ended)
    if (reason === 'lost') return 'lost'
    if (outcome.status === 'drained' || reason === 'left') {
      await writer.flush()
      return (await runtime.store.runs.release(fence)) ? 'released' : 'lost'
    }
    const { envelopes, settlement } = settlementOf(ledger, run, {
      outcome: redactOutcome(runtime.redaction, outcome, run.agent),
      reason,
      hasRoot,
    })
    await writer.push(envelopes)
    await writer.flush(settlement)
    runtime.metrics.runsEnded.inc({ status: settlement.status })
    return 'settled'
  }

  /** Rejects when the attempt fails before the source runs: that may pass, and is tried again. */
  async function outcomeOf(source: Source, ledger: Ledger, ended: ReadonlySet<string>): Promise<RunOutcome> {
    const { context, end } = contextFor(ledger, ended)
    const seconds = run.request.config?.deadline_seconds
    const deadline = seconds === undefined ? null : setTimeout(() => stop('deadline'), seconds * 1000)
    let hasBegun = false

    async function work(): Promise<RunOutcome> {
      const begun = await beginRun(runtime, run, source)
      const request = await requestFor(runtime, begun, source)
      hasBegun = true
      isResume = request.kind === 'resume'
      return source.run(request, context)
    }

    try {
      const outcome = await Promise.race([work(), afterGrace(stopping.signal, options.stopGraceMs)])
      return noState === null ? outcome : { status: 'error', error: noState }
    } catch (error) {
      if (!hasBegun) throw error
      return { status: 'error', error: noState ?? errorOf(error) }
    } finally {
      if (deadline !== null) clearTimeout(deadline)
      end()
    }
  }

  /** Progress is a new state, or the first end of a call: the failures before it no longer count. */
  function noteProgress(): void {
    if (crashes === 0) return
    crashes = 0
    // At worst the run is given up earlier.
    runtime.store.runs.resetCrashes(fence).catch(() => {})
  }

  function contextFor(ledger: Ledger, ended: ReadonlySet<string>): { context: RunContext; end: () => void } {
    const watchdog = createWatchdog(options.silentMs)
    const redaction = runtime.redaction === null ? null : redactRun(runtime.redaction)
    const takenAt = runtime.now()
    let hasToken = false
    let isOver = false

    function emit(said: Draft): void | Promise<void> {
      if (said.type === 'error' && said.payload.stack !== '') {
        options.onFailure(failureText(`run ${run.run_id} of thread ${run.thread_id}`, said.payload.stack))
      }
      const draft = options.keepStacks ? said : withoutStack(said)
      // The next attempt continues from the calls that are open: an end emitted now would close them for it.
      if (isOver || reason === 'lost' || reason === 'left' || isItsOwnEnd(draft)) return
      const signed = signDraft(draft, run, isResume)
      const limited = runtime.limit(signed)
      const admitted = redaction === null ? limited : limited.flatMap((one) => redaction.admit(one))
      const envelopes = admitted.flatMap((one) => ledger.stamp(one))
      if (envelopes.length === 0) return
      if (draft.type === 'tool_start' && draft.path.length === 0) hasRoot = true
      watchdog.note(draft, envelopes, runtime.now())
      if (crashes > 0 && envelopes.some((envelope) => isFirstEnd(envelope, ended))) noteProgress()
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
      thread_id: run.thread_id,
      run_id: run.run_id,
      trace_id: run.trace_id,
      checkpointer: logBeforeCheckpoint(runtime.store.checkpointer, {
        before: () => flushBeforeSave(() => !isOver && reason !== 'lost' && reason !== 'left'),
        saved: noteProgress,
        failed(error, what) {
          // The run is claimed again when the store is available, and continues from the last state in it.
          if (noteUnavailable(error)) return stop('lost')
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
        if (redaction !== null && !isOver && reason !== 'lost' && reason !== 'left') {
          void pushOrStop(redaction.flush([]).flatMap((draft) => ledger.stamp(draft)))
        }
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
    } catch (error) {
      lose(error)
    }
    return maySave()
  }

  function lose(error: unknown): void {
    noteUnavailable(error)
    stop('lost')
  }

  /** A refused append means that the lease is lost: the run stops, and emits nothing more. */
  function pushOrStop(envelopes: readonly Envelope[]): void | Promise<void> {
    try {
      return writer.push(envelopes)?.catch(lose)
    } catch (error) {
      lose(error)
    }
  }

  /** An attempt that failed is followed by the next one, unless there were too many, or the run is to be cancelled. */
  async function failed(error: unknown): Promise<'settled' | 'lost'> {
    const isFault = !noteUnavailable(error)
    const isLast = reason === 'cancel' || (isFault && crashes >= options.maxCrashes)
    if (reason === 'lost' || !isLast) return 'lost'
    await endRun(runtime, run, { outcome: { status: 'error', error: errorOf(error) }, reason })
    return 'settled'
  }

  /** The store is unavailable: nothing is wrong with the run, and the attempt does not count as a crash. */
  function noteUnavailable(error: unknown): boolean {
    const isUnavailable = runtime.store.isUnavailable?.(error) ?? false
    wasUnavailable ||= isUnavailable
    return isUnavailable
  }

  /** If the lease is still held here, something failed: the heartbeat must not renew it for a run that no longer runs. */
  async function giveAway(): Promise<void> {
    if (wasUnavailable) await runtime.store.runs.resetCrashes(fence)
    await runtime.store.runs.expireLease(fence, retryDelay(crashes))
  }

  return {
    run,
    done: attempt()
      .catch(failed)
      .catch(() => 'lost' as const)
      .then(async (how) => {
        if (how === 'lost') await giveAway().catch(() => {})
        return how
      }),
    stop,
    drain: () => draining.abort(),
  }
}

function whyRefused(source: Source | undefined, run: Run, { maxCrashes }: ExecuteOptions): string | null {
  if (source === undefined) return `No agent is named "${run.agent}" any more.`
  if (isLocked(run.request)) return 'What was asked for is encrypted with a key that is not configured.'
  if (run.crashes > maxCrashes)
    return `The process died ${run.crashes} times with this run, which got nowhere in between; it is given up.`
  return null
}

/** Paths and code of the server are for its operator, and the log is for the owner of the thread. */
function withoutStack(draft: Draft): Draft {
  return draft.type === 'error' ? { ...draft, payload: { ...draft.payload, stack: '' } } : draft
}

/** A call that ended in an earlier attempt and was run again is where it was. */
function isFirstEnd({ type, parent_id, call_id }: Envelope, ended: ReadonlySet<string>): boolean {
  return (type === 'tool_end' || type === 'llm_end') && parent_id !== null && !ended.has(call_id)
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
