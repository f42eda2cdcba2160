import type { Entry } from '@skein/core'
import { parseEntry } from '../connection/parse-entry.ts'
import type { ThreadStore } from '../store/thread-store.ts'

// Long enough to be efficient, short enough that the page stays alive.
const SLICE_MS = 60

/** Reads a JSONL of envelopes into a store, in slices. A line that is no envelope is counted and left out. */
export async function readRecording(
  file: Blob & { readonly name?: string },
  store: ThreadStore,
  signal?: AbortSignal,
): Promise<void> {
  store.connect({ is: 'file', name: file.name ?? 'recording.jsonl' })
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let line = 0
  let since = performance.now()

  function take(lines: readonly string[]): void {
    const batch: Entry[] = []
    for (const text of lines) {
      line += 1
      if (text.trim() === '') continue
      const parsed = parseEntry(text, line)
      if ('problem' in parsed) store.problem(`line ${line}: ${parsed.problem}`)
      else batch.push(parsed.entry)
    }
    store.add(batch)
  }

  for (;;) {
    const { done, value } = await reader.read()
    if (signal?.aborted) return
    if (done) break
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    take(lines)
    if (performance.now() - since > SLICE_MS) {
      await new Promise((resolve) => setTimeout(resolve))
      since = performance.now()
    }
  }
  take([rest])
  store.loaded()
  store.flush()
}
