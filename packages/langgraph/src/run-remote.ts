import type { Client, StreamMode } from '@langchain/langgraph-sdk'
import { ClewlineError, isRecord } from '@clewline/core'
import type { Draft, RunContext, RunOutcome, RunRequest } from '@clewline/core/source'
import { playRecorded } from './adapt/play-recorded.ts'
import { readStreamChunks } from './adapt/read-stream-chunks.ts'
import { serverEvent } from './adapt/server-event.ts'
import { checkpointId } from './checkpoint-of.ts'
import { FRONTEND_TOOLS } from './frontend-key.ts'
import { RUN_ID } from './mark-checkpoints.ts'
import { remoteState, remoteThreadId } from './remote-thread.ts'
import { resumeInput } from './resume-input.ts'

export interface RemoteGraph {
  readonly client: Client
  readonly assistantId: string
  readonly name: string
  readonly subagentTools: readonly string[]
}

/** `messages-tuple` costs a piece per token; `messages` would send the whole text again with each. */
const MODES: StreamMode[] = ['messages-tuple', 'tools', 'tasks', 'checkpoints', 'custom', 'updates']

/**
 * Of several interrupts raised inside one sub-agent a server lists only the last, so an id that is not listed may still
 * be right. One that is wrong is ignored by LangGraph, and the question is raised again.
 */
const IS_INTERRUPT_ID = /^[0-9a-f]{32}$/

/** One run on a LangGraph server, followed to its end through any number of connections. */
export async function runRemote(
  { client, assistantId, name, subagentTools }: RemoteGraph,
  request: RunRequest,
  context: RunContext,
): Promise<RunOutcome> {
  const thread = remoteThreadId(context.thread_id)
  const isSubagent = (tool: string): boolean => subagentTools.includes(tool)
  const drafts: Draft[] = []
  const stop = AbortSignal.any([context.signal, context.drain])

  const player = playRecorded({
    label: name,
    isSubagent,
    input: request.kind === 'input' ? request.input : null,
    // What is replayed after a crash was told before: calls begin again as their next attempt, and nothing is lost.
    kind: request.kind === 'resume' ? 'resume' : 'input',
    emit: (draft) => void drafts.push(request.kind === 'recover' ? { ...draft, origin: 'replay' } : draft),
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
    if (!stop.aborted) await player.play({ type: 'failure', error })
  }
  if (context.signal.aborted) return cancel()
  if (context.drain.aborted) {
    await flush()
    return { status: 'drained' }
  }
  const outcome = await player.end(true)
  await flush()
  return outcome

  /** The server's stream names no checkpoints (langgraph-api 1.5.1); the state it leaves behind does. */
  async function settle(): Promise<void> {
    const { config, values, metadata, next } = await remoteState(client, thread)
    const step = metadata?.['step']
    await player.play({
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
    const command = resumeInput(request.answers, open, state.next)
    return command === null ? { input: null } : { command: { resume: command.resume } }
  }

  /** The run that an earlier process started. */
  async function found(): Promise<string> {
    const runs = await client.runs.list(thread, { limit: 20 })
    const known = runs.find((one) => isRecord(one.metadata) && one.metadata[RUN_ID] === context.run_id)
    if (known !== undefined) return known.run_id
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
    if (isRecord(chunk) && 'THROWN' in chunk) await player.play({ type: 'failure', error: chunk['THROWN'] })
    for (const recorded of read(chunk) ?? []) await player.play(recorded)
    await flush()
  }

  async function flush(): Promise<void> {
    for (const draft of drafts.splice(0)) await context.emit(draft)
  }

  async function cancel(): Promise<RunOutcome> {
    if (run !== null) await client.runs.cancel(thread, run, true).catch(() => {})
    await flush()
    const payload = { tool_name: name, result: null, status: 'cancelled' } as const
    await context.emit({ type: 'tool_end', path: [], agent: name, payload })
    return { status: 'cancelled' }
  }
}
