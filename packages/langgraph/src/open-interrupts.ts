import type { BaseCheckpointSaver } from '@langchain/langgraph'
import type { GraphState } from './graph.ts'

interface Raised {
  readonly id: string
  readonly value: unknown
}

/**
 * What a thread waits for. LangGraph 1.4.18 keeps the interrupt of a task that was answered and is done as long as
 * another task of the same step waits, and its state lists both: what is done is told by the writes beside it.
 */
export async function openInterrupts(
  state: GraphState,
  saver: BaseCheckpointSaver,
  thread_id: string,
): Promise<readonly Raised[]> {
  const raised = state.tasks.filter((task) => task.interrupts.length > 0)
  if (raised.length === 0) return []
  const saved = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: '' } })
  const writes = saved?.pendingWrites ?? []
  const done = new Set(writes.filter(([, channel]) => !PENDING.has(channel)).map(([task]) => task))
  return raised
    .filter((task) => !done.has(task.id))
    .flatMap((task) => task.interrupts)
    .map(({ id = '', value }) => ({ id, value }))
}

/** Writes of a task that is not done. */
const PENDING = new Set(['__interrupt__', '__resume__', '__error__'])
