/** One event of a LangGraph run stream. */
export interface Chunk {
  readonly id?: string | undefined
  readonly event: string
  readonly data: unknown
}

/**
 * Drops what a replayed stream tells of work that the snapshot already holds: everything before the first event of a
 * task that was pending when the snapshot was taken. With no pending task the snapshot holds all. Errors always pass.
 */
export async function* catchUp(
  chunks: AsyncIterable<Chunk>,
  pending: ReadonlySet<string> | null,
): AsyncGenerator<Chunk> {
  let isCaughtUp = pending === null
  for await (const chunk of chunks) {
    if (!isCaughtUp) {
      const task = rootTask(chunk)
      isCaughtUp = task !== null && pending !== null && pending.has(task)
    }
    if (isCaughtUp || chunk.event === 'error') yield chunk
  }
}

/** The task of the root graph that an event belongs to: the first segment of its checkpoint namespace, `node:TASK|…`. */
function rootTask({ data }: Chunk): string | null {
  const metadata = Array.isArray(data) ? data[1] : field(data, 'metadata')
  const namespace = field(metadata, 'langgraph_checkpoint_ns')
  return typeof namespace === 'string' ? (namespace.split('|')[0]?.split(':')[1] ?? null) : null
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined
}
