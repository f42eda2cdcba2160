import { randomUUID } from 'node:crypto'
import { type Envelope, type JsonObject, ClewlineError } from '@clewline/core'
import type { Source, SourceState, ThreadContext } from '@clewline/core/source'
import { redactEnvelopes } from '../redact/redact-envelopes.ts'
import { isStoreError } from '../store/is-store-error.ts'
import type { Thread, ThreadFilter } from '../store/store.ts'
import { checkId } from './check-id.ts'
import { endOpenCalls } from './end-open-calls.ts'
import { editEnvelopes } from './edit-envelopes.ts'
import { announce } from './announce.ts'
import { requireAgent } from './require-agent.ts'
import { idTaken, requireThread } from './require-thread.ts'
import type { RuntimeContext } from './runtime-context.ts'
import type { Runs } from './runs.ts'
import { cleanTitle } from './title.ts'

/** A thread that is asked for. The id of one that is there gives that one. */
export interface CreateThread {
  readonly thread_id?: string
  readonly title?: string
  readonly agent?: string
  readonly metadata?: JsonObject
}

/** What a thread holds now, and where its log stands. */
export interface ThreadState extends SourceState {
  readonly status: Thread['status']
  readonly position: number
}

export interface Threads {
  /** The same id gives the same thread: creating is safe to repeat. */
  create(wanted: CreateThread, owner?: string): Promise<Thread>
  get(thread_id: string, owner?: string): Promise<Thread>
  /** Newest first. */
  list(filter: ThreadFilter): Promise<readonly Thread[]>
  update(
    thread_id: string,
    change: { title?: string; metadata?: JsonObject },
    owner?: string,
  ): Promise<Thread>
  /** With its runs (which are stopped), its log and its states. */
  remove(thread_id: string, owner?: string): Promise<void>
  position(thread_id: string): Promise<number>
  state(thread_id: string, owner?: string): Promise<ThreadState>
  updateState(thread_id: string, values: JsonObject, owner?: string): Promise<ThreadState>
  /** Makes a thread of a recorded log. */
  import(envelopes: readonly Envelope[], wanted: CreateThread, owner?: string): Promise<Thread>
}

export function createThreads(runtime: RuntimeContext, runs: Runs): Threads {
  async function create(wanted: CreateThread, owner?: string): Promise<Thread> {
    const at = await runtime.store.now()
    checkId('thread_id', wanted.thread_id)
    if (wanted.agent !== undefined) requireAgent(runtime, wanted.agent)
    const thread: Thread = {
      thread_id: wanted.thread_id ?? randomUUID(),
      title: wanted.title === undefined ? null : cleanTitle(wanted.title, runtime.redaction),
      agent: wanted.agent ?? null,
      status: 'idle',
      created_at: at,
      updated_at: at,
      owner: owner ?? null,
      metadata: wanted.metadata ?? {},
    }
    if (await runtime.store.threads.insert(thread)) {
      runtime.bus.publish({ type: 'thread', thread })
      return thread
    }
    const known = await runtime.store.threads.get(thread.thread_id)
    if (known !== null && (owner === undefined || known.owner === owner)) return known
    throw await idTaken(runtime, thread.thread_id, owner)
  }

  function contextOf(thread_id: string): ThreadContext {
    return { thread_id, checkpointer: runtime.store.checkpointer }
  }

  async function stateOf(thread: Thread): Promise<ThreadState> {
    const source = thread.agent === null ? undefined : runtime.agents.get(thread.agent)
    const held = await source?.state?.(contextOf(thread.thread_id))
    const state = held ?? { values: {}, next: [], interrupts: [], checkpoint_id: null }
    // A run that failed on an answer, or was cancelled with it, leaves the question in the graph, but does not wait for it any more.
    const isOver = thread.status === 'idle' || thread.status === 'error'
    const interrupts = isOver ? [] : state.interrupts
    const position = await runtime.log.last(thread.thread_id)
    return { ...state, interrupts, status: thread.status, position }
  }

  return {
    create,
    get: (thread_id, owner) => requireThread(runtime, thread_id, owner),
    list: (filter) => runtime.store.threads.list(filter),
    async update(thread_id, change, owner) {
      await requireThread(runtime, thread_id, owner)
      const { title, ...rest } = change
      const named = title === undefined ? {} : { title: cleanTitle(title, runtime.redaction) }
      await runtime.store.threads.update(thread_id, {
        ...rest,
        ...named,
        updated_at: await runtime.store.now(),
      })
      await announce(runtime, thread_id)
      return await requireThread(runtime, thread_id)
    },
    async remove(thread_id, owner) {
      const thread = await requireThread(runtime, thread_id, owner)
      await runs.cancelAll(thread_id, { scheduled: true })
      await runtime.store.threads.remove(thread_id)
      await runtime.log.remove(thread_id)
      runtime.bus.publish({ type: 'thread_removed', thread_id, owner: thread.owner })
    },
    position: (thread_id) => runtime.log.last(thread_id),
    state: async (thread_id, owner) => stateOf(await requireThread(runtime, thread_id, owner)),
    async updateState(thread_id, values, owner) {
      const thread = await requireThread(runtime, thread_id, owner)
      const source = requireWritable(runtime, thread)
      await source.update(values, contextOf(thread_id)).catch((error: unknown) => {
        throw isStoreError(error) ? error : refusedEdit(error)
      })
      const edit = editEnvelopes(source.name, values, owner ?? null, runtime.now)
      await runtime.log.append(thread_id, redactEnvelopes(runtime.redaction, edit))
      await runtime.store.threads.update(thread_id, { updated_at: await runtime.store.now() })
      await announce(runtime, thread_id)
      return await stateOf(thread)
    },
    async import(envelopes, wanted, owner) {
      const thread_id = wanted.thread_id ?? randomUUID()
      const isTaken = (await runtime.store.threads.get(thread_id)) !== null
      if (isTaken) throw await idTaken(runtime, thread_id, owner)
      const thread = await create({ ...wanted, thread_id }, owner)
      // A recording of a run that was not over, or was interrupted: it is not continued here.
      const closed = endOpenCalls(redactEnvelopes(runtime.redaction, envelopes), runtime.now)
      if (envelopes.length > 0) await runtime.log.append(thread_id, closed)
      return thread
    },
  }
}

/** Reducers are the agent's own code: what they throw says that the values are not such as they take. */
function refusedEdit(cause: unknown): ClewlineError {
  if (cause instanceof ClewlineError) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ClewlineError('bad-request', `The agent does not take these values: ${why.slice(0, 500)}`, {
    hint: 'GET …/state shows what it holds, GET /api/agents the schema of its state.',
    cause,
  })
}

function requireWritable(runtime: RuntimeContext, thread: Thread): Source & Required<Pick<Source, 'update'>> {
  if (thread.status === 'busy') {
    throw new ClewlineError('busy', `The thread "${thread.thread_id}" is busy.`, {
      hint: 'Wait for its run to end, or cancel it, before writing its state.',
    })
  }
  const source = thread.agent === null ? undefined : requireAgent(runtime, thread.agent)
  const update = source?.update?.bind(source)
  if (source === undefined || update === undefined) {
    throw new ClewlineError('unsupported', 'This thread has no state that can be written.', {
      hint: 'Run an agent that keeps its state (a LangGraph graph does) on the thread first.',
    })
  }
  return { ...source, update }
}
