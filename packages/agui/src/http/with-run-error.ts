import { EventType } from '@ag-ui/core'
import { ClewlineError } from '@clewline/core'
import type { Batch } from './encode.ts'

/** A stream that breaks on our side ends as the protocol says, instead of as a cut connection. */
export async function* withRunError(
  batches: AsyncIterable<Batch>,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  let position = 0
  try {
    for await (const batch of batches) {
      position = batch.position
      yield batch
    }
  } catch (error) {
    if (signal.aborted) return
    const known = error instanceof ClewlineError
    const message = known
      ? `${error.message} ${error.hint}`
      : 'The stream broke off on our side. Connect again.'
    const code = known ? error.code : 'internal'
    yield { events: [{ type: EventType.RUN_ERROR, code, message }], position }
  }
}
