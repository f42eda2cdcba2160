import type { Event, RunAgentInput } from '@ag-ui/core'
import type { Client } from '@langchain/langgraph-sdk'
import type { Observable } from 'rxjs'
import { sleep } from './sleep.ts'
import { isNotFound } from './connect-error.ts'
import { abortScope } from './abort-scope.ts'
import { createRunNotifier } from './run-notifier.ts'
import { threadIdOf } from './thread-id.ts'

/** An agent that can be watched: `ConnectableLangGraphAgent`, or a patched `LangGraphAgent`. */
export interface WatchableAgent {
  readonly client: Client
  connect(input: RunAgentInput): Observable<Event>
}

/** Which thread to watch, how closely, and until when. */
export interface WatchThread {
  readonly threadId: string
  /** The only way to stop. */
  readonly signal: AbortSignal
  /** How often to look for the next run just after one: 500 ms by default. */
  readonly fastestMs?: number
  /** How often when nothing happens: 5 s by default. */
  readonly slowestMs?: number
  /**
   * Whether to listen to the thread's stream as well: true by default. langgraph-api 1.5.1 binds a thread to the
   * transport of its first listener, so say false where others use the thread over a WebSocket.
   */
  readonly threadStream?: boolean
}

/**
 * Everything that happens in a thread, run after run, each with its own RUN_STARTED and end. Between runs it looks for
 * the next one, less and less often, and at once when the thread's stream announces one: langgraph-api 1.5.1 does so
 * for runs of the protocol's `run.start` only. The events always come from joining the run. State that was written
 * without a run is shown as a run of snapshots. While the server is unavailable it is polled; an invalid thread id throws.
 */
export async function* watchThread(agent: WatchableAgent, options: WatchThread): AsyncGenerator<Event> {
  const { fastestMs = 500, slowestMs = 5000, threadStream = true } = options
  const threadId = threadIdOf(options)
  const { signal, end } = abortScope(options.signal)
  const notifier = createRunNotifier(agent.client, threadId, signal)
  let wait = fastestMs
  let seen: string | null = null
  try {
    while (!signal.aborted) {
      try {
        const now = await markOf(agent.client, threadId, signal)
        // A stream that was opened before its thread exists stays silent for good.
        if (threadStream && now !== NO_THREAD) notifier.listen()
        if (now !== seen) {
          yield* eventsOf(agent.connect(inputOf(threadId)), signal)
          // Up to here the connect itself has shown everything.
          seen = await markOf(agent.client, threadId, signal)
          wait = fastestMs
        }
        await notifier.wait(wait)
      } catch (error) {
        if (signal.aborted) return
        // The server is unavailable: try again at the slowest pace.
        if (!(error instanceof Error)) throw error
        await sleep(slowestMs, signal).catch(() => undefined)
      }
      wait = Math.min(wait * 1.5, slowestMs)
    }
  } finally {
    end()
  }
}

const NO_THREAD = 'none'

/** A fingerprint that changes whenever a run begins or ends, or the state is written. */
async function markOf(client: Client, threadId: string, signal: AbortSignal): Promise<string> {
  try {
    const [state, runs] = await Promise.all([
      client.threads.getState(threadId, undefined, { signal }),
      client.runs.list(threadId, { limit: 20, signal }),
    ])
    const active = runs.filter((run) => run.status === 'pending' || run.status === 'running')
    return JSON.stringify([state.checkpoint?.checkpoint_id ?? null, active.map((run) => run.run_id).sort()])
  } catch (error) {
    if (isNotFound(error)) return NO_THREAD
    throw error
  }
}

function inputOf(threadId: string): RunAgentInput {
  return {
    threadId,
    runId: crypto.randomUUID(),
    messages: [],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  }
}

/** An observable as an async iterable; events are buffered until they are read. Throws its error after them. */
async function* eventsOf(source: Observable<Event>, signal: AbortSignal): AsyncGenerator<Event> {
  const queue: Event[] = []
  let wake = (): void => undefined
  /** Returns or throws, once what is queued has been read. */
  const last: { end?: () => void } = {}
  const subscription = source.subscribe({
    next(event) {
      queue.push(event)
      wake()
    },
    // Without it RxJS throws the error where nothing can catch it, and this waits for ever.
    error(error: unknown) {
      last.end = () => {
        throw error
      }
      wake()
    },
    complete() {
      last.end = () => undefined
      wake()
    },
  })
  const stop = (): void => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const event = queue.shift()
      if (event !== undefined) yield event
      else if (last.end !== undefined) return last.end()
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    signal.removeEventListener('abort', stop)
    subscription.unsubscribe()
  }
}
