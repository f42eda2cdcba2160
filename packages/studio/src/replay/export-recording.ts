import type { Timeline } from '@clewline/core/view'
import type { Client } from '@clewline/client'
import { downloadBlob } from '../files/download.ts'

/** What the page has seen, as JSONL that it can open again. */
export function recordingOf(timeline: Timeline): string {
  const lines: string[] = []
  for (let index = 0; index < timeline.length; index++)
    lines.push(JSON.stringify(timeline.entry(index)?.envelope))
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** Saves the whole log of a thread; what the page has seen of it when the server cannot be asked. */
export async function exportRecording(
  client: Client,
  thread: string,
  timeline: Timeline,
  name: string,
): Promise<void> {
  const whole = await client.threads
    .export(thread)
    .then((response) => response.blob())
    .catch(() => new Blob([recordingOf(timeline)], { type: 'application/x-ndjson' }))
  downloadBlob(
    `${
      name
        .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '')
        .slice(0, 60)
        .trim() || 'thread'
    }.jsonl`,
    whole,
  )
}
