import type { Entry } from '@clewline/core'
import type { ThreadStore } from '../store/thread-store.ts'
import { parseEntry } from './parse-entry.ts'

// A part is one trip to the disk; a slice is as long as the page may stand still.
const PART_BYTES = 8_000_000
const SLICE_MS = 60

/** Reads a JSONL of envelopes into a store. A line that is no envelope is counted and left out. */
export async function readRecording(
  file: Blob & { readonly name?: string },
  store: ThreadStore,
  signal?: AbortSignal,
): Promise<void> {
  store.connect({ type: 'file', name: file.name ?? 'recording.jsonl' })
  const decoder = new TextDecoder()
  let rest = ''
  let line = 0

  /** Takes whole lines of `rest`, all of it at the end, for about a slice. */
  function takeSome(isEnd: boolean): void {
    const until = performance.now() + SLICE_MS
    const batch: Entry[] = []
    let from = 0
    while (from < rest.length && (line % 100 !== 0 || performance.now() < until)) {
      const newline = rest.indexOf('\n', from)
      if (newline === -1 && !isEnd) break
      const end = newline === -1 ? rest.length : newline
      line += 1
      const text = rest.slice(from, end)
      from = end + 1
      if (text.trim() === '') continue
      const parsed = parseEntry(text, line)
      if ('problem' in parsed) store.problem(`line ${line}: ${parsed.problem}`)
      else batch.push(parsed.entry)
    }
    rest = rest.slice(from)
    store.add(batch)
  }

  for (let at = 0; at < file.size; at += PART_BYTES) {
    const isLast = at + PART_BYTES >= file.size
    const part = await file.slice(at, at + PART_BYTES).arrayBuffer()
    rest += decoder.decode(part, { stream: !isLast })
    while (rest.includes('\n') || (isLast && rest !== '')) {
      if (signal?.aborted) return
      takeSome(isLast)
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  store.loaded()
  store.flush()
}
