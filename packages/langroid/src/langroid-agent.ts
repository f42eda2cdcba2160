import { ClewlineError } from '@clewline/core'
import { threadPool, type Source, type ThreadContext } from '@clewline/core/source'
import type { Backend } from './backend.ts'
import { checkpointHistory, type CheckpointHistory } from './checkpoint-history.ts'
import type { LangroidAgentConfig, ThreadLimits } from './config.ts'
import { emptyRecord, type HistoryStore, type ThreadRecord } from './history-store.ts'
import { nativeBackend } from './native-backend.ts'
import type { ChatAgent } from './native/chat-agent.ts'
import type { Task } from './native/task.ts'
import { runOnThread } from './run-on-thread.ts'

/** What a `LangroidAgent` can wrap. A factory makes one agent per thread. */
type LangroidRunner = ChatAgent | Task | Backend | ((thread: string) => ChatAgent | Task)

/** A Langroid agent as a Clewline source: durable, connectable and replayable like any other. */
export interface LangroidAgent extends Source {
  readonly limits: Required<ThreadLimits>
  /** Threads that are in memory now. */
  readonly threadCount: number
  /** Frees threads and, for Python, the worker. */
  close(): Promise<void>
}

/** Wraps a native agent, a task or a Python agent. */
export function LangroidAgent(runner: LangroidRunner, config: LangroidAgentConfig = {}): LangroidAgent {
  const backend = 'run' in runner && 'evict' in runner ? runner : nativeBackend(runner)
  const name = config.name ?? backend.name
  const description = config.description ?? backend.description
  const limits = { max: 1000, idleMs: 30 * 60_000, ...config.threads }
  const pool = threadPool<{ record: ThreadRecord }>({
    ...limits,
    make: () => ({ record: emptyRecord }),
    onEvict: (thread) => backend.evict(thread),
  })

  function checkpointsOf(context: ThreadContext): CheckpointHistory | undefined {
    return config.history === undefined ? checkpointHistory(context.checkpointer) : undefined
  }

  function historyOf(context: ThreadContext): HistoryStore | undefined {
    return config.history ?? checkpointsOf(context)
  }

  return {
    name,
    limits,
    get threadCount() {
      return pool.size
    },
    describe: () => ({
      name,
      ...(description !== undefined && description !== '' && { description }),
      ...(backend.subagents !== undefined && { subagents: backend.subagents }),
      ...(backend.interrupts !== undefined && { interrupts: backend.interrupts }),
      ...(backend.scripted !== undefined && { scripted: backend.scripted }),
    }),

    async run(request, context) {
      const slot = pool.acquire(context.thread_id)
      if (slot === undefined) {
        const error = { name: 'THREAD_BUSY', message: 'Another run is going on in this thread.' }
        const payload = { tool_name: name, kind: 'graph' as const, input: null }
        await context.emit({ type: 'tool_start', path: [], agent: name, payload })
        await context.emit({
          type: 'error',
          path: [],
          agent: name,
          payload: { ...error, stack: '', class: error.name },
        })
        return { status: 'error', error }
      }
      try {
        const history = historyOf(context)
        slot.record = (await history?.load(context.thread_id)) ?? slot.record
        const checkpoint_id = (await checkpointsOf(context)?.head(context.thread_id)) ?? null
        const run = { name, backend, config, history, checkpoint_id, slot, request, context }
        return await runOnThread(run)
      } catch (error) {
        // A history that cannot be loaded, for one: a failure of the agent is an outcome, not a rejection.
        const message = error instanceof Error ? error.message : String(error)
        return { status: 'error', error: { name: 'LANGROID_ERROR', message } }
      } finally {
        pool.release(context.thread_id)
      }
    },

    async state(context) {
      const { thread_id } = context
      const history = historyOf(context)
      const record = (await history?.load(thread_id)) ?? pool.peek(thread_id)?.record ?? emptyRecord
      const checkpoint_id = (await checkpointsOf(context)?.head(thread_id)) ?? null
      return {
        values: { ...record.state, messages: record.shown },
        next: record.progress === null ? [] : [name],
        interrupts: record.progress?.question === undefined ? [] : [record.progress.question],
        checkpoint_id,
      }
    },

    async update(values, context) {
      const { thread_id } = context
      const { messages: _theirs, ...state } = values
      const slot = pool.acquire(thread_id)
      if (slot === undefined) {
        throw new ClewlineError('busy', `A run is going on in the thread "${thread_id}".`, {
          hint: 'Wait for it, or cancel it.',
        })
      }
      try {
        const record = (await historyOf(context)?.load(thread_id)) ?? slot.record
        slot.record = { ...record, state: { ...record.state, ...state } }
        await historyOf(context)?.save(thread_id, slot.record)
      } finally {
        pool.release(thread_id)
      }
    },

    checkpoints: async (context, page) => (await checkpointsOf(context)?.list(context.thread_id, page)) ?? [],

    async fork(checkpoint_id, to, context) {
      const history = checkpointsOf(context)
      if (history === undefined) {
        throw new ClewlineError('unsupported', 'This thread keeps no checkpoints to fork from.', {
          hint: 'Run the agent in @clewline/server, whose store keeps them.',
        })
      }
      await history.fork(context.thread_id, checkpoint_id, to)
    },

    async close() {
      pool.clear()
      await backend.close()
    },
  }
}
