import { isRecord, type Json, type RawMessage } from '@clewline/core'
import { Command, Send } from '@langchain/langgraph'
import { messageFrom } from './message-from.ts'

/** What the record has of a tool call that ended well: from its start and its end. */
export interface RecordedTool {
  readonly tool_name: string
  readonly tool_call_id?: string | undefined
  readonly result: Json
  readonly raw?: Json | undefined
}

/**
 * What a tool returned: the same message, command or value again. A plain object that looks like a message
 * (`{type: 'human', content}`) comes back as one.
 */
export function toolResultFrom({ tool_name, tool_call_id, result, raw }: RecordedTool): unknown {
  if (raw !== undefined) return valueFrom(raw)
  if (tool_call_id === undefined) return valueFrom(result)
  return messageFrom({ type: 'tool', content: result, tool_call_id, name: tool_name, status: 'success' })
}

function valueFrom(value: Json): unknown {
  if (isList(value)) return value.map(valueFrom)
  if (!isRecord(value)) return value
  if (value['type'] === 'command') return commandFrom(value)
  if (value['type'] === 'send' && typeof value['node'] === 'string')
    return new Send(value['node'], valueFrom(value['args'] ?? null))
  if (isRawMessage(value)) return messageFrom(value)
  return fieldsFrom(value)
}

function commandFrom({ graph, update, goto, resume }: Readonly<Record<string, Json>>): Command {
  return new Command({
    ...(typeof graph === 'string' && { graph }),
    ...(update !== undefined && { update: updateFrom(update) }),
    ...(resume !== undefined && { resume: valueFrom(resume) }),
    ...(goto !== undefined && { goto: targetsFrom(goto) }),
  })
}

type Update = Record<string, unknown> | [string, unknown][]

function updateFrom(update: Json): Update {
  if (!isList(update)) return isRecord(update) ? fieldsFrom(update) : {}
  return update
    .filter(isList)
    .map(([channel, value = null]): [string, unknown] => [
      typeof channel === 'string' ? channel : '',
      valueFrom(value),
    ])
}

function targetsFrom(goto: Json): string | Send | (string | Send)[] {
  if (isList(goto)) return goto.flatMap(targetsFrom)
  const target = valueFrom(goto)
  return target instanceof Send ? target : String(target)
}

const fieldsFrom = (value: Readonly<Record<string, Json>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, field]) => [key, valueFrom(field)]))

const TYPES = new Set(['ai', 'human', 'system', 'developer', 'tool', 'function', 'remove', 'generic'])

const isRawMessage = (value: Readonly<Record<string, Json>>): value is RawMessage =>
  typeof value['type'] === 'string' && TYPES.has(value['type']) && value['content'] !== undefined

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
