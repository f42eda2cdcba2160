import type { Client } from '@clewline/client'
import type { Profile } from '@clewline/core/read'
import type { Answer } from '@clewline/core/source'
import { refusedBy } from '../connection/connection.ts'
import { newId } from './new-id.ts'
import { createThreadStore, type ThreadStore } from './thread-store.ts'

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
  client: Client,
  thread: string,
  profile: Profile,
  create?: { readonly agent: string },
): ThreadSession {
  const store = createThreadStore()

  async function read(signal: AbortSignal): Promise<void> {
    // Idempotent. When it is refused, so is the stream, which says why.
    if (create !== undefined)
      await client.threads.create({ thread_id: thread, agent: create.agent }).catch(() => undefined)
    if (signal.aborted) return
    void awaitHistory(client, thread, store, signal)
    try {
      const batches = client.follow(thread, {
        profile,
        signal,
        after: store.getState().timeline.latest().position,
        intake: store.intake,
        onProblem: store.problem,
        onStatus: store.connect,
      })
      for await (const entries of batches) store.append(entries)
    } catch (error) {
      store.connect(refusedBy(error))
    }
  }

  return {
    thread,
    store,
    actions: actionsOf(client, thread),
    start() {
      const stopping = new AbortController()
      void read(stopping.signal)
      return () => stopping.abort()
    },
  }
}

/** The first moment at which everything that was there when the page opened has come. */
async function awaitHistory(
  client: Client,
  thread: string,
  store: ThreadStore,
  signal: AbortSignal,
): Promise<void> {
  // Where the thread stands only decides when "loading" ends: without an answer, what comes is shown as it comes.
  const known = await client.threads.get(thread).catch(() => null)
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

function actionsOf(client: Client, thread: string): ThreadActions {
  return {
    async send(text, options) {
      const messages = [{ id: newId(), role: 'user', content: text }]
      await client.runs.create(thread, { ...options, input: { messages } })
    },
    async answer(answers, agent) {
      await client.runs.create(thread, { agent, resume: answers })
    },
    async giveResult(tool_call_id, name, result, agent) {
      const messages = [{ id: newId(), role: 'tool', name, tool_call_id, content: result }]
      await client.runs.create(thread, { agent, input: { messages } })
    },
    async stop() {
      await client.runs.cancelAll(thread)
    },
    async writeFile(name, content) {
      await client.threads.updateState(thread, { files: { [name]: content } })
    },
  }
}
