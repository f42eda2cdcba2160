import { createResolver } from '@clewline/core/parts'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, ClewlineError, type Run } from '@clewline/client'
import type { WatchedThread } from '../kill/watched-thread.ts'
import { answerTo, type ChaosAgent, ENDINGS } from './endings.ts'

/** What one client wants from one agent, on a thread of its own, and what became of it. */
export interface Conversation extends WatchedThread {
  readonly agent: ChaosAgent
  readonly run_id: string
  /** Runs that the server has accepted: none of them may be lost. */
  readonly accepted: Set<string>
  isOver: boolean
}

export function newConversation(agent: ChaosAgent, thread_id: string): Conversation {
  return {
    agent,
    thread_id,
    run_id: `${thread_id}-run`,
    seen: [],
    parts: createResolver(),
    accepted: new Set(),
    isOver: false,
  }
}

/**
 * Starts the run and answers what it asks until it is over, or the server is gone. Idempotent: after a crash the client
 * sends what it has no answer to again, under the same ids.
 */
export async function converse(
  client: Client,
  one: Conversation,
  signal: AbortSignal,
  random: () => number,
): Promise<void> {
  const { thread_id, agent } = one
  try {
    await client.threads.create({ thread_id })
    await start({ run_id: one.run_id, input: ENDINGS[agent].input })
    while (!one.isOver && !signal.aborted) {
      await sleep(50)
      const runs = await client.runs.list(thread_id)
      if (runs.some(isActive)) continue
      const { status, interrupts } = await client.threads.state(thread_id)
      // A thread that waits and does not show its question is stuck.
      if (status === 'interrupted') await (interrupts.length > 0 ? answer(interrupts) : undefined)
      else if (status !== 'busy') one.isOver = true
    }
  } catch (error) {
    if (!isInterruption(error, signal)) throw error
  }

  async function start(wanted: object): Promise<void> {
    const { run_id } = await client.runs.create(thread_id, { agent, ...wanted })
    one.accepted.add(run_id)
  }

  /** All questions at once, or one of them: the others stay open. */
  async function answer(open: readonly { readonly id: string; readonly value: unknown }[]): Promise<void> {
    const some = random() < 0.5 ? open : open.slice(0, 1)
    const questions = some.map(({ value }) => String(value))
    await start({
      run_id: `${thread_id}-${questions.join('-').replaceAll(/\W+/g, '_')}`,
      resume: some.map(({ id }, i) => ({ interrupt_id: id, value: answerTo(questions[i] ?? '') })),
    })
  }
}

function isActive({ status }: Run): boolean {
  return status === 'pending' || status === 'running'
}

/** The server is gone, or the question was answered by a request whose reply was lost: the client looks again. */
export function isInterruption(error: unknown, signal: AbortSignal): boolean {
  return (
    signal.aborted || (error instanceof ClewlineError && ['unavailable', 'conflict'].includes(error.code))
  )
}
