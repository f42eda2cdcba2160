import type * as client from '@clewline/client'
import type { Run, RunSummary } from '../store/store.ts'
import { PAGE_CHARACTERS } from './read-page.ts'
import { runJson, summaryJson } from './resources.ts'

/** Runs with their inputs, one by one as long as these fit into an answer; the others without. */
export async function withInputs(
  found: readonly RunSummary[],
  get: (run: RunSummary) => Promise<Run>,
): Promise<client.Run[]> {
  const listed: client.Run[] = []
  let left = PAGE_CHARACTERS
  for (const summary of found) {
    const run = left > 0 && summary.kind === 'input' ? runJson(await get(summary)) : summaryJson(summary)
    left -= run.input === undefined ? 0 : JSON.stringify(run.input).length
    listed.push(left >= 0 ? run : summaryJson(summary))
  }
  return listed
}
