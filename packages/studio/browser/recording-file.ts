import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recording, type RecordingOptions } from '@clewline/studio/testing'

/** A recording as a JSONL file, with whatever lines are to stand before the envelopes. */
export async function recordingFile(
  options: RecordingOptions = {},
  name = 'run.jsonl',
  before: readonly string[] = [],
): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'clewline-recording-')), name)
  const lines = recording(options).map(({ envelope }) => JSON.stringify(envelope))
  await writeFile(path, `${[...before, ...lines].join('\n')}\n`)
  return path
}
