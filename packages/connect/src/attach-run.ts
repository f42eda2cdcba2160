import type { LangGraphAgent } from '@ag-ui/langgraph'
import type { Event, RunAgentInput } from '@ag-ui/core'
import type { StreamMode, ThreadState } from '@langchain/langgraph-sdk'
import { Observable } from 'rxjs'
import { skipReplayed } from './skip-replayed.ts'
import type { Chunk } from './skip-replayed.ts'
import type { ActiveRun } from './find-run.ts'
import { followByState } from './follow-by-state.ts'
import { langGraphMessages } from './langgraph-messages.ts'
import { createModelCalls } from './model-calls.ts'
import type { StreamGuard } from './stream-guard.ts'
import { textAt, valueAt } from './value-at.ts'

export interface AttachRun {
  /** The agent that was asked to connect; its `abortRun()` cancels the run that it watches. */
  readonly agent: LangGraphAgent
  /** The copy that does the work. */
  readonly copy: LangGraphAgent
  readonly threadId: string
  readonly run: ActiveRun
  readonly state: ThreadState
  readonly input: RunAgentInput
  readonly lastEventId: string | null
  readonly guard: StreamGuard
  readonly signal: AbortSignal
}

/** What upstream's own runs are streamed with. */
const DEFAULT_MODES = [
  'events',
  'values',
  'updates',
  'messages-tuple',
] as const satisfies readonly StreamMode[]

/** Follows a run to its end. */
export async function attachRun(options: AttachRun): Promise<void> {
  const { agent, threadId, run } = options
  const attached = { id: run.runId, threadId, serverRunIdKnown: true }
  agent.activeRun ??= attached
  try {
    const has = (mode: StreamMode): boolean => run.streamModes?.includes(mode) ?? true
    if (!run.isResumable) await followByState(options)
    // Upstream reads no others. The `messages` of a run that was started by the protocol's `run.start` have a form of
    // their own (langgraph-api 1.5.1).
    else if (has('events') || has('messages-tuple')) await followEvents(options)
    else if (has('values')) await followValues(options)
    else await followByState(options)
  } finally {
    if (agent.activeRun === attached) delete agent.activeRun
  }
}

async function followEvents(options: AttachRun): Promise<void> {
  const { agent, copy, threadId, run, state, input, lastEventId, guard, signal } = options
  const calls = createModelCalls(copy)
  let hasEnded = false
  if (lastEventId !== null) guard.mute(true)

  /** Brings the client's state and messages to what the thread holds. */
  async function settle(): Promise<void> {
    guard.mute(false)
    const now = await copy.client.threads.getState(threadId, undefined, { signal })
    guard.snapshot(copy.getStateSnapshot(now), langGraphMessages(now.values))
  }

  async function* chunks(): AsyncGenerator<Chunk> {
    // Joined without a cursor, a pending run's stream becomes a destructive queue (langgraph-api 1.5.1).
    const stream = copy.client.runs.joinStream(threadId, run.runId, { signal, lastEventId: '-1' })
    const pending = lastEventId === null ? pendingTasks(state, run.runId) : null
    let isFirst = pending === null && lastEventId === null
    for await (const chunk of skipReplayed(stream, pending)) {
      if (chunk.event === 'values' && isFirst) {
        // The run was not there yet when the snapshot was taken: this brings the message that started it.
        isFirst = false
        guard.snapshot(
          copy.getStateSnapshot({ ...state, values: recordOf(chunk.data) }),
          langGraphMessages(chunk.data),
        )
      }
      if (chunk.event === 'error') await settle()
      calls.enter(chunk)
      yield chunk
      if (chunk.id !== undefined) Object.assign(agent, { lastEventId: chunk.id })
      // Only now has upstream processed the chunk: what follows is new to a client whose connection was lost here.
      if (lastEventId !== null && Number(chunk.id) >= Number(lastEventId)) guard.mute(false)
    }
    hasEnded = true
  }

  // Upstream takes a snapshot whenever the stream changes between a graph and its sub-graphs (60 times in a run of two).
  // It is ahead of the events that are still to come, so only the last one is wanted.
  Object.assign(copy, { getStateAndMessagesSnapshots: async () => (hasEnded ? settle() : undefined) })

  await new Promise<void>((resolve, reject) => {
    new Observable<Event>((subscriber) => {
      Object.assign(copy, { subscriber })
      const modes: StreamMode[] = [...(run.streamModes ?? DEFAULT_MODES)]
      const stream = { streamResponse: chunks(), state: structuredClone(state) }
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- two copies of one enum: core is peered with two zods
      copy.handleStreamEvents(stream, threadId, subscriber, { ...input, threadId }, modes).catch(reject)
    }).subscribe({ next: (event) => guard.push(event), error: reject, complete: resolve })
  })
}

/** A run whose stream has nothing but states: each of them is shown. */
async function followValues({ copy, threadId, run, state, guard, signal }: AttachRun): Promise<void> {
  const isOurs = runIdOf(state) === run.runId
  const least = isOurs ? langGraphMessages(state.values).length : 0
  const stream: AsyncIterable<Chunk> = copy.client.runs.joinStream(threadId, run.runId, {
    signal,
    lastEventId: '-1',
  })
  for await (const { event, data } of stream) {
    if (event === 'error') return guard.fail({ code: 'run_failed', message: messageOf(data) })
    const messages = langGraphMessages(data)
    // Replayed from before the snapshot: it has fewer messages.
    if (event !== 'values' || messages.length < least) continue
    guard.snapshot(copy.getStateSnapshot({ ...state, values: recordOf(data) }), messages)
  }
  const now = await copy.client.threads.getState(threadId, undefined, { signal })
  guard.snapshot(copy.getStateSnapshot(now), langGraphMessages(now.values))
}

/** Null when the snapshot was taken before the run: it holds nothing of it. */
function pendingTasks(state: ThreadState, runId: string): ReadonlySet<string> | null {
  return runIdOf(state) === runId ? new Set(state.tasks.map((task) => task.id)) : null
}

function runIdOf(state: ThreadState): unknown {
  return valueAt(state.metadata, 'run_id')
}

function recordOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? { ...data } : {}
}

function messageOf(data: unknown): string {
  return textAt(data, 'message') ?? 'The run failed.'
}
