import { at, usageOf } from './usage-of.ts'
import { coerce } from '../coerce.ts'
import type { Completion, Message, Usage } from '../envelope.ts'
import { isRecord } from '../is-record.ts'
import type { Json } from '../json.ts'
import { messageOf } from './message-of.ts'
import { addUsage } from './add-usage.ts'

/** Where a graph keeps things in its final state: keys, dotted when nested. What is left out is looked for. */
export interface CompletionShape {
  readonly messages?: string
  readonly files?: string
  readonly usage?: string
}

export interface NormaliseOptions {
  readonly shape?: CompletionShape
}

/**
 * The final state of any graph as `{messages, files, usage}`. Idempotent; never throws. A text is one message of the
 * assistant; what cannot be read as any of the three is left out.
 */
export function normalise(value: unknown, options: NormaliseOptions = {}): Completion {
  const state = unwrapped(coerce(value))
  const { shape = {} } = options
  const said = messagesIn(state, shape.messages)
  const messages = said.flatMap((message) => readMessage(message) ?? [])
  const files = filesIn(field(state, shape.files ?? 'files'))
  return { messages, files, usage: usageIn(state, said, shape.usage) }
}

/** LangGraph's `Command` carries the state in `update`, LangChain's `AgentFinish` in `returnValues`. */
function unwrapped(state: Json): Json {
  for (const key of ['update', 'returnValues', 'return_values']) {
    const inner = field(state, key)
    if (inner !== undefined && field(state, 'messages') === undefined && isRecord(inner)) return inner
  }
  return state
}

function messagesIn(state: Json, key: string | undefined): readonly Json[] {
  if (key !== undefined) return listed(field(state, key))
  if (typeof state === 'string') return [state]
  if (Array.isArray(state)) return state.some((item) => messageOf(item) !== null) ? state : []
  if (messageOf(state) !== null) return [state]
  for (const name of ['messages', 'output', 'result', 'answer', 'response']) {
    const found = listed(field(state, name))
    if (found.some((item) => readMessage(item) !== null)) return found
  }
  return []
}

function listed(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return []
  // `['user', 'hi']` is one message, not two.
  return Array.isArray(value) && messageOf(value) === null ? value : [value]
}

function readMessage(value: Json): Message | null {
  return typeof value === 'string' ? { id: '', role: 'assistant', text: value } : messageOf(value)
}

/** Names to texts, from texts, from the `{content}` of deep agents (a text or lines), or from a list of named files. */
function filesIn(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isRecord(value) && !Array.isArray(value)) return {}
  const named = Array.isArray(value)
    ? value.map((file) => [nameOf(file), file] as const)
    : Object.entries(value)
  const files: Record<string, string> = {}
  for (const [name, file] of named) {
    const text = contentOf(file)
    if (name !== undefined && text !== null) files[name] = text
  }
  return files
}

function nameOf(file: Json): string | undefined {
  const name = field(file, 'path') ?? field(file, 'name')
  return typeof name === 'string' ? name : undefined
}

function contentOf(file: Json): string | null {
  if (typeof file === 'string' || file === null) return file
  const content = field(file, 'content')
  if (typeof content === 'string') return content
  if (Array.isArray(content) && content.every((line) => typeof line === 'string')) return content.join('\n')
  return JSON.stringify(content ?? file)
}

/** What the state says of itself, or else the sum over its messages, each counted once. */
function usageIn(state: Json, messages: readonly Json[], key: string | undefined): Usage {
  const stated = usageOf(field(state, key ?? 'usage') ?? field(state, 'usage_metadata'))
  if (key !== undefined || Object.keys(stated).length > 0) return stated
  const seen = new Set<string>()
  let sum: Usage = {}
  for (const message of messages) {
    const id = messageOf(message)?.id ?? ''
    if (id !== '' && seen.has(id)) continue
    seen.add(id)
    sum = addUsage(sum, messageUsage(message))
  }
  return sum
}

function messageUsage(message: Json): Usage {
  for (const path of USAGE_PATHS) {
    const usage = usageOf(at(message, path))
    if (Object.keys(usage).length > 0) return usage
  }
  return {}
}

const USAGE_PATHS = [
  'usage_metadata',
  'kwargs.usage_metadata',
  'data.usage_metadata',
  'usage',
  'response_metadata.tokenUsage',
  'response_metadata.usage',
  'kwargs.response_metadata.tokenUsage',
]

function field(value: Json | undefined, key: string): Json | undefined {
  return at(value, key) as Json | undefined
}
