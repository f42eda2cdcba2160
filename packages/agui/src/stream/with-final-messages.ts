import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Threads } from '../threads.ts'
import { aguiMessages } from '../translate/agui-messages.ts'
import type { Translator } from '../translate/create-translator.ts'

/** The last events of a run. If the client has diverged from the thread, the thread's messages go before the end. */
export async function withFinalMessages(
  threads: Threads,
  thread_id: string,
  translator: Translator,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const { isDiverged, dialect } = translator.state()
  const end = events.at(-1)
  const thread = isDiverged && end?.type === EventType.RUN_FINISHED ? await threads.state(thread_id) : null
  if (thread === null || end === undefined) return events
  const messages = aguiMessages(thread.messages, dialect)
  return [...events.slice(0, -1), { type: EventType.MESSAGES_SNAPSHOT, messages }, end]
}
