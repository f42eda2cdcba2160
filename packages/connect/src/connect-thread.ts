import type { LangGraphAgent } from '@ag-ui/langgraph'
import type { Event, RunAgentInput } from '@ag-ui/core'
import type { ThreadState } from '@langchain/langgraph-sdk'
import { Observable } from 'rxjs'
import { sleep } from './sleep.ts'
import { abortable } from './abortable.ts'
import { attachRun } from './attach-run.ts'
import { connectErrorOf, isNotFound } from './connect-error.ts'
import { findRun } from './find-run.ts'
import { langGraphMessages } from './langgraph-messages.ts'
import { abortScope } from './abort-scope.ts'
import { createStreamGuard } from './stream-guard.ts'
import { lastEventIdOf, messageIdsOf, threadIdOf } from './thread-id.ts'

/**
 * Shows a thread to a client that may know nothing but its id: a snapshot of what it holds, then its active run, to the
 * end of that run. Every failure is a RUN_ERROR; the observable itself never errors. Unsubscribing aborts every request.
 */
export function connectThread(agent: LangGraphAgent, input: RunAgentInput): Observable<Event> {
  return new Observable((subscriber) => {
    const scope = abortScope()
    void connect(agent, input, scope.signal, (event) => {
      if (!scope.signal.aborted) subscriber.next(event)
    }).then(() => subscriber.complete())
    return () => scope.end()
  })
}

async function connect(
  agent: LangGraphAgent,
  input: RunAgentInput,
  signal: AbortSignal,
  emit: (event: Event) => void,
): Promise<void> {
  let guard = createStreamGuard({ threadId: '', has: [], emit })
  try {
    const threadId = threadIdOf(input)
    guard = createStreamGuard({ threadId, has: messageIdsOf(input), emit })
    const copy = workingCopy(agent)
    const { client } = copy
    const run = await orNull(findRun(client, threadId, signal))
    const runId = run?.runId ?? crypto.randomUUID()
    guard.start(runId)
    const [state, schema] = await Promise.all([
      orNull(client.threads.getState(threadId, undefined, { signal })),
      prepare(copy, threadId, runId, signal),
    ])
    const lastEventId = lastEventIdOf(input)
    const isWhole = run === null && isShownWhole(copy, state)
    const isKnown = isWhole || (await schema.isKnownWithin(SCHEMA_MS))
    if (run === null || lastEventId === null) {
      guard.snapshot(state === null ? {} : copy.getStateSnapshot(state), langGraphMessages(state?.values))
    }
    if (run === null && state !== null && !isKnown && (await schema.isKnownWithin(LATE_SCHEMA_MS))) {
      guard.snapshot(copy.getStateSnapshot(state), langGraphMessages(state.values))
    }
    if (run !== null && state !== null) {
      await attachRun({ agent, copy, threadId, run, state, input, lastEventId, guard, signal })
    } else if (state !== null) {
      sendInterrupts(copy, threadId, runId, state, (event) => guard.push(event))
    }
    guard.finish()
  } catch (error) {
    guard.fail(connectErrorOf(error, agent.config.deploymentUrl))
  }
}

/**
 * The class keeps a run's state on the instance, so two streams on one instance mix (0.0.43): each connect works on a
 * copy. `clone()` copies the flags of the original's current run too; they are reset to those of a new run.
 */
function workingCopy(agent: LangGraphAgent): LangGraphAgent {
  const copy: LangGraphAgent = agent.clone()
  Object.assign(copy, {
    messagesInProcess: {},
    emittedToolCallStartIds: new Set(),
    reasoningProcess: null,
    pendingReasoningId: undefined,
    eventsStreamActive: false,
    cancelRequested: false,
    cancelSent: false,
    subgraphs: new Set(),
    activeRun: undefined,
  })
  return copy
}

/**
 * How long a snapshot waits for the graph's schema, and how long an idle thread is kept open for it: the server may take
 * half a minute to make it, or to fail (langgraph-api 1.5.1), and until the end the chat counts as busy.
 */
const SCHEMA_MS = 1000
const LATE_SCHEMA_MS = 10_000

interface Schema {
  isKnownWithin(ms: number): Promise<boolean>
}

/**
 * Puts on the instance what upstream's translation expects there. Until the schema is there only messages are shown, as
 * upstream does when it cannot have it: what is not known to be output must not get out.
 */
async function prepare(
  copy: LangGraphAgent,
  threadId: string,
  runId: string,
  signal: AbortSignal,
): Promise<Schema> {
  const { client, graphId, constantSchemaKeys } = copy
  const [found] = await client.assistants.search({ graphId, limit: 1, signal })
  if (found === undefined) throw new Error(`The server has no graph "${graphId}".`)
  copy.assistant = found
  copy.client = abortable(client, signal)
  const run: NonNullable<LangGraphAgent['activeRun']> = {
    id: runId,
    threadId,
    schemaKeys: { config: [], context: [], input: constantSchemaKeys, output: constantSchemaKeys },
    graphInfo: await client.assistants.getGraph(found.assistant_id, { signal }),
    serverRunIdKnown: true,
    hasFunctionStreaming: false,
    modelMadeToolCall: false,
    usage: [],
  }
  copy.activeRun = run
  const known = copy.getSchemaKeys().then((schemaKeys) => {
    run.schemaKeys = schemaKeys
    return true
  })
  return { isKnownWithin: (ms) => within(known, ms, signal) }
}

/** Whether the schema has no say in what is shown: the state holds only what always is. */
function isShownWhole({ constantSchemaKeys }: LangGraphAgent, state: ThreadState | null): boolean {
  return Object.keys(state?.values ?? {}).every((key) => constantSchemaKeys.includes(key))
}

/** False on a timeout, or when the signal aborts. */
async function within(promise: Promise<boolean>, ms: number, signal: AbortSignal): Promise<boolean> {
  const stop = new AbortController()
  const tooLong = sleep(ms, AbortSignal.any([signal, stop.signal])).then(
    () => false,
    () => false,
  )
  try {
    return await Promise.race([promise, tooLong])
  } finally {
    stop.abort()
  }
}

/** Sends the open interrupts of a thread in the form that the agent is configured for. */
function sendInterrupts(
  copy: LangGraphAgent,
  threadId: string,
  runId: string,
  state: ThreadState,
  push: (event: Event) => void,
): void {
  const lgInterrupts = state.tasks.flatMap((task) => task.interrupts)
  if (lgInterrupts.length === 0) return
  new Observable<Event>((subscriber) => {
    Object.assign(copy, { subscriber })
    // Private to TypeScript only; the same method that ends an interrupted run() of upstream.
    copy['dispatchInterruptFinish']({ threadId, runId, lgInterrupts })
  }).subscribe(push)
}

async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}
