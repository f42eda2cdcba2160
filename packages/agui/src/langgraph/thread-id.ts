import type { RunAgentInput } from '@ag-ui/core'
import { ConnectError } from './connect-error.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The thread to connect to: AG-UI's field, or LangGraph's place for it in a run config. */
export function threadIdOf(input: Partial<RunAgentInput>): string {
  const id = [
    at(input, 'threadId'),
    at(input, 'config', 'configurable', 'thread_id'),
    at(input, 'forwardedProps', 'config', 'configurable', 'thread_id'),
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
  return messages.map((message) => at(message, 'id')).filter((id) => typeof id === 'string')
}

/** Where the client was cut off, if it says so: the id of the last event of the server's stream that it has seen. */
export function lastEventIdOf(input: Partial<RunAgentInput>): string | null {
  const id = at(input, 'forwardedProps', 'lastEventId')
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? id : null
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined
    here = Object.getOwnPropertyDescriptor(here, key)?.value
  }
  return here
}
