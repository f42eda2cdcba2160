import { randomUUID } from 'node:crypto'
import { type Json, ClewlineError } from '@clewline/core'
import type { Answer, FrontendTool, RunUser } from '@clewline/core/source'
import { shownRun } from '../redact/shown-run.ts'
import type { Priority, Request, Run, RunSummary, Thread } from '../store/store.ts'
import { lastEnded } from './close-abandoned.ts'
import { cancelRun, cancelRunsOf } from './cancel-run.ts'
import { checkAnswers } from './check-answers.ts'
import { checkCheckpoint } from './check-checkpoint.ts'
import { checkConfigurable } from './check-configurable.ts'
import { checkId } from './check-id.ts'
import { announce } from './announce.ts'
import { requireAgent } from './require-agent.ts'
import { requireThread } from './require-thread.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { titleOf } from './title.ts'
import type { Worker } from './worker.ts'

/** What a run is created from. Exactly one of `input` and `resume`. */
export interface CreateRun {
  readonly agent: string
  readonly input?: Json
  /** Answers to the interrupts that the thread waits on. */
  readonly resume?: readonly Answer[]
  readonly config?: Request['config']
  readonly after_seconds?: number
  /** What to do when the thread is busy. Default `enqueue`. */
  readonly on_busy?: 'enqueue' | 'reject' | 'cancel'
  /** Which of the owner's runs go first, of those that wait. Default `normal`. */
  readonly priority?: Priority
  readonly tools?: readonly FrontendTool[]
  /** Who asks, for the agent to see. Default: the owner, without permissions. */
  readonly user?: RunUser
  /** The same id makes the same run: a retried request is harmless. */
  readonly run_id?: string
  readonly cron_id?: string
}

export interface Runs {
  /** Creates a run; resolves with it and the log's position before it. */
  create(thread_id: string, wanted: CreateRun, owner?: string): Promise<{ run: Run; position: number }>
  get(thread_id: string, run_id: string, owner?: string): Promise<Run>
  /** Newest first. */
  list(thread_id: string, limit?: number, owner?: string): Promise<readonly RunSummary[]>
  /** Runs of all threads that wait or run, the one that is due first first. */
  unfinished(status: 'pending' | 'running', limit?: number, owner?: string): Promise<readonly RunSummary[]>
  /** Stops a run, wherever it is; resolves when it is over. A run that is over stays as it is. */
  cancel(thread_id: string, run_id: string, owner?: string): Promise<Run>
  /**
   * Stops what runs on a thread and what waits for its turn there; with `scheduled`, also what is to start later.
   * Resolves with those runs when all are over.
   */
  cancelAll(
    thread_id: string,
    options?: { readonly scheduled?: boolean },
    owner?: string,
  ): Promise<readonly RunSummary[]>
}

export function createRuns(runtime: RuntimeContext, worker: Worker): Runs {
  async function requestOf(
    thread: Thread,
    wanted: CreateRun,
    owner: string | undefined,
  ): Promise<{ request: Request; trace_id: string }> {
    await checkCheckpoint(runtime, thread.thread_id, wanted)
    const { config, tools } = wanted
    const user = wanted.user ?? (owner === undefined ? undefined : { identity: owner, permissions: [] })
    const common = {
      ...(config === undefined ? {} : { config }),
      ...(tools === undefined ? {} : { tools }),
      ...(user === undefined ? {} : { user }),
    }
    if (wanted.resume === undefined) {
      return { request: { ...common, kind: 'input', input: wanted.input ?? null }, trace_id: randomUUID() }
    }
    const waiting = thread.status === 'interrupted' ? await lastEnded(runtime, thread.thread_id) : undefined
    const active = await runtime.store.runs.active(thread.thread_id)
    if (waiting?.status !== 'interrupted' || active.some(({ kind }) => kind === 'resume')) {
      throw new ClewlineError('conflict', `The thread "${thread.thread_id}" does not wait for an answer.`, {
        hint: `Its status is ${thread.status}. Send "input" instead of "resume", or look at GET …/state.`,
      })
    }
    const answers = await checkAnswers(runtime, thread, wanted)
    return { request: { ...common, kind: 'resume', answers }, trace_id: waiting.trace_id }
  }

  /** A mutex per thread: of two answers that come at once only one may find the question open. */
  const answering = new Map<string, Promise<unknown>>()

  async function inTurn<T>(thread_id: string, work: () => Promise<T>): Promise<T> {
    const turn = (answering.get(thread_id) ?? Promise.resolve()).then(work, work)
    answering.set(thread_id, turn)
    try {
      return await turn
    } finally {
      if (answering.get(thread_id) === turn) answering.delete(thread_id)
    }
  }

  async function makeRoom(thread_id: string, on_busy: CreateRun['on_busy']): Promise<void> {
    if (on_busy === undefined || on_busy === 'enqueue') return
    const [first] = await runtime.store.runs.active(thread_id)
    if (first === undefined) return
    if (on_busy === 'reject') {
      throw new ClewlineError('busy', `The thread "${thread_id}" is busy with run ${first.run_id}.`, {
        hint: 'Wait for it, cancel it, or send on_busy "enqueue" or "cancel".',
      })
    }
    await cancelRunsOf(runtime, worker, thread_id, { scheduled: true })
  }

  async function find(thread_id: string, run_id: string): Promise<Run> {
    const run = await runtime.store.runs.get(run_id)
    if (run === null || run.thread_id !== thread_id) throw noRun(thread_id, run_id)
    return run
  }

  async function findSummary(thread_id: string, run_id: string): Promise<RunSummary> {
    const { request, ...run } = await find(thread_id, run_id)
    return { ...run, kind: request.kind }
  }

  async function create(
    thread_id: string,
    wanted: CreateRun,
    owner?: string,
  ): Promise<{ run: Run; position: number }> {
    checkId('run_id', wanted.run_id)
    checkConfigurable(wanted)
    const known = wanted.run_id === undefined ? null : await runtime.store.runs.get(wanted.run_id)
    const isOfAnother = known !== null && owner !== undefined && known.owner !== owner
    if (!isOfAnother) requireSameThread(known, thread_id)
    const thread = await requireThread(runtime, thread_id, owner)
    // Of another owner: as if it were asked for, and missing.
    if (isOfAnother) throw noRun(thread_id, known.run_id)
    requireAgent(runtime, wanted.agent)
    if (known !== null) return { run: known, position: known.position ?? 0 }
    const asked = await requestOf(thread, wanted, owner)
    return await runtime.admission.run(thread.owner, wanted.priority ?? 'normal', (priority) =>
      insert(thread, wanted, { ...asked, priority }),
    )
  }

  async function insert(
    thread: Thread,
    wanted: CreateRun,
    { request, trace_id, priority }: Pick<Run, 'request' | 'trace_id' | 'priority'>,
  ): Promise<{ run: Run; position: number }> {
    const { thread_id } = thread
    await makeRoom(thread_id, wanted.on_busy)
    const position = await runtime.log.last(thread_id)
    const created_at = await runtime.store.now()
    const run_at = Date.parse(created_at) + (wanted.after_seconds ?? 0) * 1000
    const run: Run = {
      run_id: wanted.run_id ?? randomUUID(),
      thread_id,
      trace_id,
      agent: wanted.agent,
      owner: thread.owner,
      priority,
      status: 'pending',
      request,
      attempt: 0,
      created_at,
      started_at: null,
      ended_at: null,
      run_at: new Date(run_at).toISOString(),
      cron_id: wanted.cron_id ?? null,
      error: null,
      crashes: 0,
      position: null,
      end_position: null,
      base_checkpoint: null,
    }
    // Before the run is there: a process that dies in between leaves a thread that names its agent, and no run. The other way
    // round the run would go on, and its thread would not know whose state it has.
    await runtime.store.threads.update(thread_id, {
      agent: wanted.agent,
      updated_at: run.created_at,
      title: thread.title ?? titleOf(wanted.input, runtime.redaction),
    })
    if (!(await runtime.store.runs.insert(run))) {
      const other = requireSameThread(await runtime.store.runs.get(run.run_id), thread_id)
      if (other === null) throw alreadyAnswered(thread_id)
      return { run: other, position }
    }
    await announce(runtime, thread_id, run.run_id)
    worker.wake()
    return { run, position }
  }

  return {
    create: (thread_id, wanted, owner) =>
      wanted.resume === undefined
        ? create(thread_id, wanted, owner)
        : inTurn(thread_id, () => create(thread_id, wanted, owner)),
    async get(thread_id, run_id, owner) {
      await requireThread(runtime, thread_id, owner)
      return shownRun(runtime.redaction, await find(thread_id, run_id))
    },
    async list(thread_id, limit = 100, owner) {
      await requireThread(runtime, thread_id, owner)
      return await runtime.store.runs.list(thread_id, limit)
    },
    unfinished: (status, limit = 100, owner) => runtime.store.runs.unfinished(status, limit, owner),
    async cancel(thread_id, run_id, owner) {
      await requireThread(runtime, thread_id, owner)
      await cancelRun(runtime, worker, await find(thread_id, run_id))
      return shownRun(runtime.redaction, await find(thread_id, run_id))
    },
    async cancelAll(thread_id, { scheduled = false } = {}, owner) {
      await requireThread(runtime, thread_id, owner)
      const cancelled = await cancelRunsOf(runtime, worker, thread_id, { scheduled })
      return await Promise.all(cancelled.map(({ run_id }) => findSummary(thread_id, run_id)))
    },
  }
}

function noRun(thread_id: string, run_id: string): ClewlineError {
  return new ClewlineError('not-found', `No run "${run_id}" on the thread "${thread_id}".`, {
    hint: 'List the runs of a thread with GET /api/threads/:thread/runs.',
  })
}

/** The run that has the id already; throws when it is one of another thread. */
function requireSameThread(run: Run | null, thread_id: string): Run | null {
  if (run === null || run.thread_id === thread_id) return run
  throw new ClewlineError('conflict', 'This run_id belongs to a run of another thread.', {
    hint: 'Leave run_id out, or choose one that is used nowhere else.',
  })
}

/** The store took no second run for the same interrupt. */
function alreadyAnswered(thread_id: string): ClewlineError {
  return new ClewlineError('conflict', `The thread "${thread_id}" was answered by another run meanwhile.`, {
    hint: 'Look at GET …/runs: that run goes on from the question.',
  })
}
