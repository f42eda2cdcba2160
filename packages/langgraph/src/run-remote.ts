import type { Client, StreamMode } from '@langchain/langgraph-sdk'
import { ClewlineError, isRecord } from '@clewline/core'
import type { Draft, RunContext, RunOutcome, RunRequest } from '@clewline/core/source'
import { endPlay } from './adapt/end-play.ts'
import { play } from './adapt/play-recorded.ts'
import { newPlay } from './adapt/play-state.ts'
import { readStreamChunks } from './adapt/read-stream-chunks.ts'
import type { Recorded } from './adapt/recorded.ts'
import { serverEvent } from './adapt/server-event.ts'
import { checkpointId } from './checkpoint-of.ts'
import { RUN_ID } from './mark-checkpoints.ts'
import { remoteRun, remoteState, remoteThreadId } from './remote-thread.ts'
import { resumeInput } from './resume-input.ts'
import { FRONTEND_TOOLS } from './run-config.ts'
import type { IsSubagent } from './subagent-tools.ts'

export interface RemoteGraph {
  readonly client: Client
  readonly assistantId: string
  readonly name: string
  readonly isSubagent: IsSubagent
}

/** `messages-tuple` costs a piece per token; `messages` would send the whole text again with each. */
const MODES: StreamMode[] = ['messages-tuple', 'tools', 'tasks', 'checkpoints', 'custom', 'updates']

/**
 * Of several interrupts raised inside one sub-agent a server lists only the last, so an id that is not listed may still
 * be right. One that is wrong is ignored by LangGraph, and the question is raised again.
 */
const IS_INTERRUPT_ID = /^[0-9a-f]{32}$/

/** One run on a LangGraph server, followed to its end through any number of reconnects. */
export async function runRemote(
  { client, assistantId, name, isSubagent }: RemoteGraph,
  request: RunRequest,
  context: RunContext,
): Promise<RunOutcome> {
  const thread = remoteThreadId(context.thread_id)
  const stop = AbortSignal.any([context.signal, context.drain])

  let state = newPlay({
    label: name,
    isSubagent,
    input: request.kind === 'input' ? request.input : null,
    // A recovery replays what was emitted before: calls begin again as their next attempt, and nothing is lost.
    kind: request.kind === 'resume' ? 'resume' : 'input',
    isOpen: (path) => context.isOpen(path),
  })
  const read = readStreamChunks(isSubagent)
  let run: string | null = null

  try {
    run = await started()
    await follow(run)
    if (!stop.aborted) await settle()
  } catch (error) {
    if (error instanceof ClewlineError) throw error
    if (!stop.aborted) await advance({ type: 'failure', error })
  }
  if (context.signal.aborted) return cancel()
  if (context.drain.aborted) return { status: 'drained' }
  const [outcome, drafts] = await endPlay(state, { isComplete: true })
  await emit(drafts)
  return outcome

  /** The server's stream names no checkpoints (langgraph-api 1.5.1); the state it leaves behind does. */
  async function settle(): Promise<void> {
    const { config, values, metadata, next } = await remoteState(client, thread)
    const step = metadata?.['step']
    await advance({
      type: 'state',
      id: '',
      checkpointId: checkpointId(config) ?? undefined,
      node: next.join(','),
      values,
      step: typeof step === 'number' ? step : 0,
      isStart: false,
    })
  }

  async function started(): Promise<string> {
    if (request.kind === 'recover') return found()
    await client.threads.create({ threadId: thread, ifExists: 'do_nothing' })
    const { config } = request
    const configurable = {
      ...config?.configurable,
      ...(request.tools !== undefined && { [FRONTEND_TOOLS]: request.tools }),
    }
    const created = await client.runs.create(thread, assistantId, {
      ...(await start()),
      streamMode: MODES,
      streamSubgraphs: true,
      streamResumable: true,
      metadata: { [RUN_ID]: context.run_id },
      config: {
        configurable,
        ...(config?.recursion_limit !== undefined && { recursion_limit: config.recursion_limit }),
        ...(config?.tags !== undefined && { tags: [...config.tags] }),
      },
      ...(config?.checkpoint_id !== undefined && { checkpointId: config.checkpoint_id }),
    })
    return created.run_id
  }

  async function start(): Promise<{ input?: Record<string, unknown> | null; command?: { resume: unknown } }> {
    if (request.kind === 'recover') return {}
    if (request.kind === 'input') {
      if (request.input === null) return { input: null }
      if (isRecord(request.input)) return { input: request.input }
      throw new ClewlineError('bad-request', 'The input of a graph on a server is an object.', {
        hint: 'Send for example {"messages": [{"role": "user", "content": "…"}]}.',
      })
    }
    const state = await remoteState(client, thread)
    const listed = state.tasks.flatMap((task) => task.interrupts.flatMap(({ id }) => id ?? []))
    const named = request.answers.flatMap(({ interrupt_id }) => interrupt_id ?? [])
    const open = listed.length === 0 ? [] : [...listed, ...named.filter((id) => IS_INTERRUPT_ID.test(id))]
    const questions = open.map((id) => ({ id }))
    const command = resumeInput(request.answers, questions, state.next)
    return command === null ? { input: null } : { command: { resume: command.resume } }
  }

  /** The run that an earlier process started. */
  async function found(): Promise<string> {
    const known = await remoteRun(client, thread, context.run_id)
    if (known !== undefined) return known
    throw new ClewlineError('conflict', 'The run died before the server had it.', {
      hint: 'Start it again with its input.',
    })
  }

  async function follow(id: string): Promise<void> {
    // A joiner without Last-Event-ID turns a pending resumable run into a destructive queue (langgraph-api 1.5.1).
    let lastEventId = '-1'
    for (;;) {
      const stream = client.runs.joinStream(thread, id, { lastEventId, signal: stop })
      for await (const { id: position, event, data } of stream) {
        if (position !== undefined) lastEventId = position
        await take(event, data)
        if (stop.aborted) return
      }
      const { status } = await client.runs.get(thread, id)
      if (status !== 'pending' && status !== 'running') return
    }
  }

  async function take(event: string, data: unknown): Promise<void> {
    const chunk = serverEvent({ event, data })
    if (isRecord(chunk) && 'THROWN' in chunk) await advance({ type: 'failure', error: chunk['THROWN'] })
    for (const recorded of read(chunk) ?? []) await advance(recorded)
  }

  async function advance(recorded: Recorded): Promise<void> {
    const [next, drafts] = await play(state, recorded)
    state = next
    await emit(drafts)
  }

  async function emit(drafts: readonly Draft[]): Promise<void> {
    for (const draft of drafts)
      await context.emit(request.kind === 'recover' ? { ...draft, origin: 'replay' } : draft)
  }

  async function cancel(): Promise<RunOutcome> {
    if (run !== null) await client.runs.cancel(thread, run, true).catch(() => {})
    const payload = { tool_name: name, result: null, status: 'cancelled' } as const
    await context.emit({ type: 'tool_end', path: [], agent: name, payload })
    return { status: 'cancelled' }
  }
}
