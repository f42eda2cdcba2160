import { parseJson } from '../parse-json.ts'
import { parseChange, type Change } from '../resources/change.ts'
import type { Transport } from '../transport.ts'
import { followEvents, type ConnectionOptions } from './follow-events.ts'

/** Changes of threads, runs and crons. They are not logged: after a lost connection (`live` again) list what you show. */
export async function* followChanges(
  transport: Transport,
  options: ConnectionOptions,
): AsyncGenerator<Change, void> {
  for await (const events of followEvents(transport, { ...options, path: () => '/api/events' })) {
    for (const { event, data } of events) {
      const change = parseChange(event, parseJson(data))
      if (change !== null) yield change
    }
  }
}
