import type { Json } from '@clewline/core'
import type { Api } from '../connection/api.ts'
import { followThread } from '../connection/follow-thread.ts'
import { newId } from './new-id.ts'
import { createThreadStore, type ThreadStore } from './thread-store.ts'

/** An answer to a question that an agent asked. */
export interface Answer {
  readonly interrupt_id: string
  readonly value: Json
}

interface SendOptions {
  readonly agent: string
  readonly after_seconds?: number
}

/** What a page can do to a thread. A recording has none of it. */
export interface ThreadActions {
  /** Starts a run with a user message. */
  readonly send: (text: string, options: SendOptions) => Promise<void>
  /** Goes on with a run that waits. */
  readonly answer: (answers: readonly Answer[], agent: string) => Promise<void>
  /** Brings the result of a tool that the page runs itself. */
  readonly giveResult: (tool_call_id: string, name: string, result: string, agent: string) => Promise<void>
  /** Cancels whatever runs or waits in the queue. */
  readonly stop: () => Promise<void>
  /** Hands an edited file back: the next step of the agent sees it. */
  readonly writeFile: (name: string, content: string) => Promise<void>
}

export interface ThreadSession {
  readonly thread: string
  readonly store: ThreadStore
  readonly actions: ThreadActions
  /** Reads the log, from the start or from where it stopped, and stays for what comes. Returns what stops it. */
  readonly start: () => () => void
}

/** A thread of a server. Nothing happens until `start`. With `create`, the thread is made for that agent if it is not there. */
export function threadSession(
  api: Api,
  thread: string,
  profile: 'user' | 'debug',
  create?: { readonly agent: string },
): ThreadSession {
  const store = createThreadStore()

  async function read(signal: AbortSignal): Promise<void> {
    // Same id, same thread. Who cannot make it is told by the stream why.
    if (create !== undefined)
      await api.createThread({ thread_id: thread, agent: create.agent }).catch(() => undefined)
    if (signal.aborted) return
    void awaitHistory(api, thread, store, signal)
    await followThread(api, {
      thread,
      profile,
      signal,
      after: () => store.getState().timeline.latest().position,
      entries: store.add,
      problem: store.problem,
      status: store.connect,
    })
  }

  return {
    thread,
    store,
    actions: actionsOf(api, thread),
    start() {
      const stopping = new AbortController()
      void read(stopping.signal)
      return () => stopping.abort()
    },
  }
}

/** The first moment at which everything that was there when the page opened has come. */
async function awaitHistory(
  api: Api,
  thread: string,
  store: ThreadStore,
  signal: AbortSignal,
): Promise<void> {
  // Where the thread stands only decides when "loading" ends: without an answer, what comes is shown as it comes.
  const known = await api.thread(thread).catch(() => null)
  const target = known?.position ?? 0
  while (!signal.aborted && store.getState().timeline.latest().position < target) await change(store, signal)
  if (!signal.aborted) store.loaded()
}

function change(store: ThreadStore, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.subscribe(done)
    signal.addEventListener('abort', done)
    function done(): void {
      stop()
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}

function actionsOf(api: Api, thread: string): ThreadActions {
  return {
    async send(text, options) {
      const messages = [{ id: newId(), role: 'user', content: text }]
      await api.start(thread, { ...options, input: { messages } })
    },
    async answer(answers, agent) {
      await api.start(thread, { agent, resume: answers })
    },
    async giveResult(tool_call_id, name, result, agent) {
      const messages = [{ id: newId(), role: 'tool', name, tool_call_id, content: result }]
      await api.start(thread, { agent, input: { messages } })
    },
    async stop() {
      const runs = await api.runs(thread)
      const open = runs.filter(({ status }) => status === 'running' || status === 'pending')
      await Promise.all(open.map((run) => api.cancel(thread, run.run_id)))
    },
    writeFile: (name, content) => api.writeState(thread, { files: { [name]: content } }),
  }
}
