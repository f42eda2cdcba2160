import type { SegmentStore } from '../store/store.ts'
import { type Channel, publish } from './channel.ts'
import { entriesOf } from './frames.ts'

const PAGE_BYTES = 256 * 1024

/** Shows readers what stands in the store beyond what they were shown: another process has appended it. */
export async function catchUp(segments: SegmentStore, thread: string, channel: Channel): Promise<void> {
  for (;;) {
    const rows = await segments.read(thread, channel.last, PAGE_BYTES)
    const before = channel.last
    for (const row of rows) {
      // Someone else may be showing the same rows at the same time; each is shown once, in its turn.
      if (row.first === channel.last + 1) publish(channel, { ...row, entries: entriesOf(row) })
    }
    if (channel.last === before) return
  }
}
