import { coerce, isRecord } from '@clewline/core'
import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph'
import { digest } from './observe/digest.ts'

/** A question that a thread waits on. */
export interface Question {
  readonly id: string
  /**
   * Which question it is of those that its task asks under one id: the ordinal, which is how many answers the task had
   * consumed when it asked, and a digest of the value. (The id itself is made of the checkpoint's and the task's.)
   */
  readonly question_id: string
  readonly value: unknown
}

/**
 * What a thread waits for, read from the writes beside its checkpoints: LangGraph's own state of the thread (1.4.18)
 * lists tasks that were answered and are done as long as another of their step waits, and of several interrupts in one
 * sub-graph or sub-agent only the last, because a task has room for one. The graph inside the task has them all.
 */
export async function openInterrupts(
  saver: BaseCheckpointSaver,
  thread_id: string,
): Promise<readonly Question[]> {
  return (await raisedIn('')) ?? []

  /** Null when no graph has saved anything under this namespace. */
  async function raisedIn(namespace: string): Promise<readonly Question[] | null> {
    const saved = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: namespace } })
    if (saved === undefined) return null
    const writes = saved.pendingWrites ?? []
    const done = new Set(writes.filter(([, channel]) => !PENDING.has(channel)).map(([task]) => task))
    const nodes = nodesIn(saved)
    const open = writes
      .filter(([task, channel]) => channel === INTERRUPT && !done.has(task))
      .flatMap(([task, , value]) =>
        [value]
          .flat()
          .map((kept) => raisedBy(namespace, task, questionOf(kept, consumedBy(task, writes)), nodes)),
      )
    return (await Promise.all(open)).flat()
  }

  /** All that the graph in a task asks, if it is the one that asked what the task has kept. */
  async function raisedBy(
    namespace: string,
    task: string,
    own: Question,
    nodes: readonly string[],
  ): Promise<readonly Question[]> {
    for (const node of nodes) {
      const first = [namespace, `${node}:${task}`].filter((part) => part !== '').join('|')
      // A task that runs several graphs numbers them from the second on.
      for (let count = 0, inside = first; ; inside = `${first}|${++count}`) {
        const raised = await raisedIn(inside)
        if (raised === null) break
        if (raised.some(({ id }) => id === own.id)) return raised
      }
    }
    return [own]
  }
}

const INTERRUPT = '__interrupt__'
const RESUME = '__resume__'

/** Writes of a task that is not done. */
const PENDING = new Set([INTERRUPT, RESUME, '__error__'])

/** The nodes that run next from a checkpoint: those that an edge has led to, and those that were sent to. */
function nodesIn({ checkpoint }: CheckpointTuple): readonly string[] {
  const { channel_values: values } = checkpoint
  const led = Object.keys(values).flatMap((name) => /^branch:to:(.+)$/.exec(name)?.[1] ?? [])
  const packets: unknown = values['__pregel_tasks']
  const sent = Array.isArray(packets)
    ? packets.flatMap((packet) =>
        isRecord(packet) && typeof packet['node'] === 'string' ? packet['node'] : [],
      )
    : []
  return [...new Set([...led, ...sent])]
}

/**
 * How many answers a task had consumed when it asked: LangGraph saves them, as one list, in the same write as the
 * question (1.4.18), so that the two cannot disagree.
 */
function consumedBy(task: string, writes: NonNullable<CheckpointTuple['pendingWrites']>): number {
  const answers = writes.find(([by, channel]) => by === task && channel === RESUME)?.[2]
  return Array.isArray(answers) ? answers.length : 0
}

function questionOf(interrupt: unknown, ordinal: number): Question {
  const { id, value } = isRecord(interrupt) ? interrupt : { id: '', value: interrupt }
  const question_id = `${ordinal}-${digest(coerce(value))}`
  return { id: typeof id === 'string' ? id : '', question_id, value }
}
