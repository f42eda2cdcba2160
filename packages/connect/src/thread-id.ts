import type { RunAgentInput } from '@ag-ui/core'
import { ConnectError } from './connect-error.ts'
import { textAt, valueAt } from './value-at.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The thread to connect to: AG-UI's field, or LangGraph's place for it in a run config. */
export function threadIdOf(input: Partial<RunAgentInput>): string {
  const id = [
    valueAt(input, 'threadId'),
    valueAt(input, 'config', 'configurable', 'thread_id'),
    valueAt(input, 'forwardedProps', 'config', 'configurable', 'thread_id'),
  ].find((candidate) => candidate !== undefined && candidate !== null && candidate !== '')
  if (id === undefined) {
    throw new ConnectError(
      'missing_thread_id',
      'connect() has no thread id.',
      'Set threadId on the agent or the input.',
    )
  }
  if (typeof id !== 'string' || !UUID.test(id)) {
    throw new ConnectError(
      'invalid_thread_id',
      `${JSON.stringify(id).slice(0, 80)} is not a LangGraph thread id.`,
      'LangGraph thread ids are UUIDs; derive one from your own key with UUIDv5.',
    )
  }
  return id
}

/** Which messages the client has already, in its order. */
export function messageIdsOf({ messages }: Partial<RunAgentInput>): string[] {
  if (!Array.isArray(messages)) return []
  return messages.flatMap((message) => textAt(message, 'id') ?? [])
}

/** The client's resume cursor, if it has one: the id of the last event of the server's stream that it has seen. */
export function lastEventIdOf(input: Partial<RunAgentInput>): string | null {
  const id = textAt(input, 'forwardedProps', 'lastEventId')
  return id !== undefined && /^\d{1,15}$/.test(id) ? id : null
}
