import { isRecord } from '@clewline/core'
import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph'

interface Raised {
  readonly id: string
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
): Promise<readonly Raised[]> {
  return (await raisedIn('')) ?? []

  /** Null when no graph has saved anything under this namespace. */
  async function raisedIn(namespace: string): Promise<readonly Raised[] | null> {
    const saved = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: namespace } })
    if (saved === undefined) return null
    const writes = saved.pendingWrites ?? []
    const done = new Set(writes.filter(([, channel]) => !PENDING.has(channel)).map(([task]) => task))
    const nodes = nodesIn(saved)
    const open = writes
      .filter(([task, channel]) => channel === INTERRUPT && !done.has(task))
      .flatMap(([task, , value]) => [value].flat().map((kept) => raisedBy(namespace, task, kept, nodes)))
    return (await Promise.all(open)).flat()
  }

  /** All that the graph in a task asks, if it is the one that asked what the task has kept. */
  async function raisedBy(
    namespace: string,
    task: string,
    kept: unknown,
    nodes: readonly string[],
  ): Promise<readonly Raised[]> {
    const own = raisedOf(kept)
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

/** Writes of a task that is not done. */
const PENDING = new Set([INTERRUPT, '__resume__', '__error__'])

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

function raisedOf(interrupt: unknown): Raised {
  const { id, value } = isRecord(interrupt) ? interrupt : { id: '', value: interrupt }
  return { id: typeof id === 'string' ? id : '', value }
}
