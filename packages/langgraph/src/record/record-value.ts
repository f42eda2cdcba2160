import { coerce, isRecord, type Json, type JsonObject, type RawMessage } from '@clewline/core'
import { isLangChainMessage, rawMessage } from './raw-message.ts'

/**
 * A value of a graph as JSON: a state, an update, an output, a result. Messages in it are the same objects as in the
 * inputs of models, so that a log has each of them once.
 */
export function recordValue(value: unknown): Json {
  return coerce(value, { known: formOf })
}

/** A message with all its fields, in any of LangChain's forms. Anything else is what a human said. */
export function rawOf(message: unknown): RawMessage {
  if (isLangChainMessage(message)) return rawMessage(message)
  if (isRecord(message) && message['lc'] === 1) return serialisedForm(message) ?? rawOf(message['kwargs'])
  const json = coerce(message)
  if (!isRecord(json)) return { type: 'human', content: json }
  const { type, role, content = '', ...fields } = json
  const named = typeof type === 'string' ? type : typeof role === 'string' ? role : 'human'
  return { type: TYPES[named] ?? named, content, ...fields }
}

const TYPES: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai' }

function formOf(value: object): Json | undefined {
  if (isLangChainMessage(value)) return rawMessage(value)
  if (!isRecord(value)) return undefined
  if (value['lc'] === 1) return serialisedForm(value)
  if (value['lg_name'] === 'Command') return commandForm(value)
  if (value['lg_name'] === 'Send')
    return { type: 'send', node: String(value['node']), args: recordValue(value['args']) }
  return undefined
}

/** A message as LangChain writes it down, `{lc: 1, id: [… , class], kwargs}`; undefined for anything else. */
function serialisedForm({ id, kwargs }: Record<string, unknown>): RawMessage | undefined {
  const name = Array.isArray(id) ? String(id.at(-1)) : ''
  const [, kind, chunk] = /^(\w+?)Message(Chunk)?$/.exec(name) ?? []
  if (kind === undefined || !isRecord(kwargs)) return undefined
  const { content = '', ...fields } = kwargs
  const full = Object.entries(fields).filter(([, field]) => !isEmpty(field))
  return {
    type: kind.toLowerCase(),
    ...(chunk !== undefined && { chunk: true }),
    content: coerce(content),
    ...fieldsOf(full),
  }
}

/** `{type: 'command', update?, goto?, graph?, resume?}`. */
function commandForm(command: Record<string, unknown>): Json {
  const given = ['update', 'goto', 'graph', 'resume'].map((name) => [name, command[name]] as const)
  return { type: 'command', ...fieldsOf(given.filter(([, field]) => field !== undefined && !isEmpty(field))) }
}

const fieldsOf = (fields: readonly (readonly [string, unknown])[]): JsonObject =>
  Object.fromEntries(fields.map(([name, field]) => [name, recordValue(field)]))

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
