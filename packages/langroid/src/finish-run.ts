import type { RunOutcome } from '@clewline/core/source'
import type { BackendEnding } from './backend.ts'
import { withoutPaths } from './without-paths.ts'
import type { Failure, RunWriter } from './writer/run-writer.ts'

const WARNINGS: Readonly<Record<string, string>> = {
  max_turns: 'The run was stopped: it asked the model as often as `maxTurns` allows.',
  repeated: 'The run was stopped: the model repeated the same tool call although it was told not to.',
  stalled: 'The task stalled: nobody in it had an answer.',
}

/** Ends the root call as the backend ended. */
export async function finishRun(
  writer: RunWriter,
  ending: Exclude<BackendEnding, { ev: 'question' }>,
): Promise<RunOutcome> {
  if (ending.ev === 'error') {
    const code = ending.code === 'WORKER' ? 'LANGROID_WORKER_EXITED' : 'LANGROID_ERROR'
    return await failRun(writer, { name: ending.type, message: withoutPaths(ending.message), class: code })
  }
  if (ending.reason === 'cancelled') {
    await writer.end('cancelled')
    return { status: 'cancelled' }
  }
  const warning = WARNINGS[ending.reason]
  if (warning !== undefined && !(ending.reason === 'stalled' && writer.hasSpoken)) {
    await writer.warn(ending.reason.replace('_', '-'), warning)
  }
  await writer.end('ok')
  return { status: 'success' }
}

/** Ends the root call, and whatever is open below it, in an error. */
export async function failRun(writer: RunWriter, failure: Failure): Promise<RunOutcome> {
  await writer.fail(failure)
  return { status: 'error', error: { name: failure.class, message: failure.message } }
}
