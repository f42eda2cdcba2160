import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Threads } from '../threads.ts'
import { aguiMessages } from '../translate/agui-messages.ts'
import type { Translator } from '../translate/create-translator.ts'

export interface KeptMessages {
  readonly threads: Threads
  readonly thread_id: string
  readonly translator: Translator
}

/**
 * The last events of a run. If it has streamed what the thread does not keep (an attempt that failed, say), the thread's
 * messages go before its end.
 */
export async function keptMessages(
  { threads, thread_id, translator }: KeptMessages,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const { isOff, dialect } = translator.state()
  const end = events.at(-1)
  const thread = isOff && end?.type === EventType.RUN_FINISHED ? await threads.state(thread_id) : null
  if (thread === null || end === undefined) return events
  const messages = aguiMessages(thread.messages, dialect)
  return [...events.slice(0, -1), { type: EventType.MESSAGES_SNAPSHOT, messages }, end]
}
