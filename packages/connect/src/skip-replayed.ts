import { textAt, valueAt } from './value-at.ts'

/** One event of a LangGraph run stream. */
export interface Chunk {
  readonly id?: string | undefined
  readonly event: string
  readonly data: unknown
}

/**
 * Dedupes a replayed stream against a snapshot: drops everything before the first event of a task that was pending when
 * the snapshot was taken. With no pending task the snapshot holds all; null means it holds nothing. Errors always pass.
 */
export async function* skipReplayed(
  chunks: AsyncIterable<Chunk>,
  pending: ReadonlySet<string> | null,
): AsyncGenerator<Chunk> {
  let isCaughtUp = pending === null
  for await (const chunk of chunks) {
    if (!isCaughtUp) isCaughtUp = pending?.has(rootTask(chunk) ?? '') === true
    if (isCaughtUp || chunk.event === 'error') yield chunk
  }
}

/** The task of the root graph that an event belongs to: the first segment of its checkpoint namespace, `node:TASK|…`. */
function rootTask({ data }: Chunk): string | undefined {
  const metadata = Array.isArray(data) ? data[1] : valueAt(data, 'metadata')
  return textAt(metadata, 'langgraph_checkpoint_ns')?.split('|')[0]?.split(':')[1]
}
