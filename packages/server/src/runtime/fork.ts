import { randomUUID } from 'node:crypto'
import { type Envelope, ClewlineError } from '@clewline/core'
import { normalise } from '@clewline/core/message'
import {
  type CheckpointsPage,
  type Source,
  type SourceCheckpoint,
  type SourceState,
  type ThreadContext,
} from '@clewline/core/source'
import { redactEnvelopes } from '../redact/redact-envelopes.ts'
import type { Run, Thread } from '../store/store.ts'
import { checkId } from './check-id.ts'
import { announce } from './announce.ts'
import { requireAgent } from './require-agent.ts'
import { idTaken, requireThread } from './require-thread.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { dropSuperseded } from './drop-superseded.ts'
import { endOpenCalls } from './end-open-calls.ts'

/** What a fork is created from. */
export interface CreateFork {
  /** Default: the newest checkpoint. */
  readonly checkpoint_id?: string
  /** The newest checkpoint that does not have this message yet: to say something else instead. */
  readonly before_message_id?: string
  readonly thread_id?: string
}

export interface Forks {
  /** Newest first: a page, or the newest 500. */
  checkpoints(thread_id: string, owner?: string, page?: CheckpointsPage): Promise<readonly SourceCheckpoint[]>
  /** A new thread from a moment of another, with its state and its log up to there. */
  fork(thread_id: string, wanted: CreateFork, owner?: string): Promise<Thread>
}

export function createForks(runtime: RuntimeContext): Forks {
  function contextOf(thread_id: string): ThreadContext {
    return { thread_id, checkpointer: runtime.store.checkpointer }
  }

  function sourceOf(thread: Thread): Source {
    if (thread.agent === null) throw unsupported()
    return requireAgent(runtime, thread.agent)
  }

  /** A fork of an interrupted thread is interrupted: a copy of the run that asked makes it answerable. */
  async function markInterrupted(thread: Thread, envelopes: readonly Envelope[]): Promise<void> {
    const { thread_id, created_at } = thread
    const trace_id = envelopes.at(-1)?.trace_id ?? randomUUID()
    const run: Run = {
      run_id: randomUUID(),
      thread_id,
      trace_id,
      agent: thread.agent ?? '',
      owner: thread.owner,
      priority: 'normal',
      status: 'interrupted',
      request: { kind: 'input', input: null },
      attempt: 1,
      created_at,
      started_at: created_at,
      ended_at: created_at,
      run_at: created_at,
      cron_id: null,
      error: null,
      crashes: 0,
      position: 0,
      end_position: envelopes.length,
      base_checkpoint: null,
    }
    await runtime.store.runs.insert(run)
    await runtime.store.threads.update(thread_id, { status: 'interrupted' })
  }

  return {
    async checkpoints(thread_id, owner, page) {
      const thread = await requireThread(runtime, thread_id, owner)
      if (thread.agent === null) return []
      return (await sourceOf(thread).checkpoints?.(contextOf(thread_id), page)) ?? []
    },
    async fork(thread_id, wanted, owner) {
      checkId('thread_id', wanted.thread_id)
      const thread = await requireThread(runtime, thread_id, owner)
      const source = sourceOf(thread)
      if (source.fork === undefined) throw unsupported()
      const known = (await source.checkpoints?.(contextOf(thread_id))) ?? []
      const chosen =
        wanted.before_message_id === undefined
          ? (wanted.checkpoint_id ?? known[0]?.checkpoint_id)
          : checkpointBefore(wanted.before_message_id, known, await source.state?.(contextOf(thread_id)))
      if (chosen === undefined || !known.some(({ checkpoint_id }) => checkpoint_id === chosen)) {
        throw new ClewlineError(
          'not-found',
          `No checkpoint "${chosen ?? ''}" in the thread "${thread_id}".`,
          {
            hint: 'List them with GET /api/threads/:thread/checkpoints.',
          },
        )
      }
      const at = await runtime.store.now()
      const copy: Thread = {
        ...thread,
        thread_id: wanted.thread_id ?? randomUUID(),
        title: thread.title === null ? null : `${thread.title} (fork)`,
        status: 'idle',
        created_at: at,
        updated_at: at,
        metadata: { ...thread.metadata, forked_from: { thread_id, checkpoint_id: chosen } },
      }
      if (!(await runtime.store.threads.insert(copy))) throw await idTaken(runtime, copy.thread_id, owner)
      await source.fork(chosen, copy.thread_id, contextOf(thread_id))
      const isHead = known[0]?.checkpoint_id === chosen
      // Again: the thread may have been recorded before anything was redacted.
      const envelopes = redactEnvelopes(
        runtime.redaction,
        await replayOf(runtime, thread_id, isHead ? null : chosen),
      )
      const state = await source.state?.(contextOf(copy.thread_id))
      const isWaiting = (state?.interrupts.length ?? 0) > 0
      await runtime.log.append(copy.thread_id, isWaiting ? envelopes : endOpenCalls(envelopes, runtime.now))
      if (isWaiting) await markInterrupted(copy, envelopes)
      await announce(runtime, copy.thread_id)
      return await requireThread(runtime, copy.thread_id)
    },
  }
}

/** Messages are only ever added to a conversation, so their number tells which states came before one of them. */
function checkpointBefore(
  message_id: string,
  known: readonly SourceCheckpoint[],
  state: SourceState | undefined,
): string {
  const place = normalise(state?.values).messages.findIndex(({ id }) => id === message_id)
  const earlier = place === -1 ? [] : known.filter(({ messages }) => messages <= place)
  // Where a run had ended is a better place than where the next one had just begun.
  const chosen = earlier.find(({ next }) => next.length === 0) ?? earlier[0]
  if (chosen !== undefined) return chosen.checkpoint_id
  throw new ClewlineError('not-found', `No state comes before the message "${message_id}".`, {
    hint: 'For the first message of a thread, start a new thread. GET …/state shows the messages and their ids.',
  })
}

/** The log until a checkpoint was saved, or all of it, as a replay. */
async function replayOf(
  runtime: RuntimeContext,
  thread_id: string,
  checkpoint_id: string | null,
): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  let found = 0
  for await (const entries of runtime.log.read(thread_id, { follow: false })) {
    for (const { envelope } of entries) {
      envelopes.push({ ...envelope, origin: 'replay' })
      if (envelope.type === 'subgraph_checkpoint' && envelope.payload.checkpoint_id === checkpoint_id) {
        found = envelopes.length
      }
    }
  }
  // A checkpoint that the log does not name (of an agent that does not report them) takes the whole log along.
  return dropSuperseded(found === 0 ? envelopes : envelopes.slice(0, found))
}

function unsupported(): ClewlineError {
  return new ClewlineError('unsupported', 'This thread cannot be forked: its agent keeps no checkpoints.', {
    hint: 'Run an agent that keeps its state (a LangGraph graph does) on the thread first.',
  })
}
