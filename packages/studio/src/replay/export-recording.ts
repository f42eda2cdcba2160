import type { Timeline } from '@skein/core/view'
import { downloadText } from '../files/download.ts'

/** What the page has seen, as JSONL that it can open again. */
export function recordingOf(timeline: Timeline): string {
  const lines: string[] = []
  for (let index = 0; index < timeline.length; index++)
    lines.push(JSON.stringify(timeline.entry(index)?.envelope))
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

export function exportRecording(timeline: Timeline, name: string): void {
  downloadText(`${name}.jsonl`, recordingOf(timeline), 'application/x-ndjson')
}
