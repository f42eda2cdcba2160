import type { Event, RunAgentInput } from '@ag-ui/core'
import type { Client } from '@langchain/langgraph-sdk'
import type { Observable } from 'rxjs'
import { pause } from '../pause.ts'
import { isNotFound } from './connect-error.ts'
import { requestsUntil } from './requests-until.ts'
import { createRunBell } from './run-bell.ts'
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
 * without a run is shown as a run of snapshots. A server that is away is waited for; what is no thread id is thrown.
 */
export async function* watchThread(agent: WatchableAgent, options: WatchThread): AsyncGenerator<Event> {
  const { fastestMs = 500, slowestMs = 5000, threadStream = true } = options
  const threadId = threadIdOf(options)
  const { signal, end } = requestsUntil(options.signal)
  const bell = createRunBell(agent.client, threadId, signal)
  let wait = fastestMs
  let seen: string | null = null
  try {
    while (!signal.aborted) {
      try {
        const now = await markOf(agent.client, threadId, signal)
        // A stream of a thread that is not there yet would stay silent when it is.
        if (threadStream && now !== NO_THREAD) bell.listen()
        if (now !== seen) {
          yield* eventsOf(agent.connect(inputOf(threadId)), signal)
          // What the connect itself has shown is not news.
          seen = await markOf(agent.client, threadId, signal)
          wait = fastestMs
        }
        await bell.wait(wait)
      } catch (error) {
        if (signal.aborted) return
        // The server is away: the next look may find it back.
        if (!(error instanceof Error)) throw error
        await pause(slowestMs, signal).catch(() => undefined)
      }
      wait = Math.min(wait * 1.5, slowestMs)
    }
  } finally {
    end()
  }
}

const NO_THREAD = 'none'

/** Changes whenever a run begins or ends, or the state is written. */
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

/** An observable at the reader's pace. */
async function* eventsOf(source: Observable<Event>, signal: AbortSignal): AsyncGenerator<Event> {
  const queue: Event[] = []
  let wake = (): void => undefined
  let isDone = false
  const subscription = source.subscribe({
    next(event) {
      queue.push(event)
      wake()
    },
    complete() {
      isDone = true
      wake()
    },
  })
  const stop = (): void => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const event = queue.shift()
      if (event !== undefined) yield event
      else if (isDone) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    signal.removeEventListener('abort', stop)
    subscription.unsubscribe()
  }
}
