import type { Source } from '@skein/core/source'
import type { Backend } from './backend.ts'
import type { LangroidAgentConfig } from './config.ts'
import { emptyRecord } from './history-store.ts'
import type { ThreadRecord } from './history-store.ts'
import { nativeBackend } from './native-backend.ts'
import type { ChatAgent } from './native/chat-agent.ts'
import type { Task } from './native/task.ts'
import { runOnThread } from './run-on-thread.ts'
import { threadPool } from './thread-pool.ts'

/** What a `LangroidAgent` can wrap. A factory makes one agent per thread. */
export type LangroidRunner = ChatAgent | Task | Backend | ((thread: string) => ChatAgent | Task)

/** A Langroid agent as a Skein source: durable, connectable and replayable like any other. */
export interface LangroidAgent extends Source {
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
  const pool = threadPool<{ record: ThreadRecord }>({
    max: config.threads?.max ?? 1000,
    idleMs: config.threads?.idleMs ?? 30 * 60_000,
    make: () => ({ record: emptyRecord }),
    onEvict: (thread) => backend.evict(thread),
  })

  return {
    name,
    get threadCount() {
      return pool.size
    },
    describe: () => ({
      name,
      ...(description === undefined || description === '' ? {} : { description }),
      ...(backend.scripted === undefined ? {} : { scripted: backend.scripted }),
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
        slot.record = (await config.history?.load(context.thread_id)) ?? slot.record
        return await runOnThread({ name, backend, config, slot, request, context })
      } finally {
        pool.release(context.thread_id)
      }
    },

    async state(context) {
      const stored = await config.history?.load(context.thread_id)
      const record = stored ?? pool.peek(context.thread_id)?.record ?? emptyRecord
      return {
        values: { ...record.state, messages: record.shown },
        next: [],
        interrupts: [],
        checkpoint_id: null,
      }
    },

    async close() {
      pool.clear()
      await backend.close()
    },
  }
}
