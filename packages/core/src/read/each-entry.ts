import type { Entry } from '../event-log.ts'

/** The entries of a log one by one, for a reader that has no use for batches. Each costs a promise. */
export async function* eachEntry(batches: AsyncIterable<readonly Entry[]>): AsyncGenerator<Entry> {
  for await (const batch of batches) for (const entry of batch) yield entry
}
