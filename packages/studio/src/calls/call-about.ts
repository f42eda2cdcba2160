import type { Json } from '@clewline/core'
import { transcript, type Call, type View } from '@clewline/core/view'
import { summarise } from '../conversation/summarise.ts'
import { fieldsOf } from '../fields-of.ts'
import { plainText } from './plain-text.ts'

/** What a call is about, in a line: the question of a graph, the task of a sub-agent, the words of a model. */
export function callAbout(call: Call, limit = 120): string {
  switch (call.kind) {
    case 'llm':
      return summarise(call.text || call.tool_calls.map(({ name }) => name).join(', '), limit)
    case 'subagent':
      return summarise(field(call.input, 'description') ?? call.input, limit)
    case 'graph':
    case 'subgraph':
      return summarise(lastMessage(call.input) ?? call.input, limit)
    case 'tool':
      return summarise(call.input, limit)
    case 'node':
      return summarise(call.result ?? null, limit)
  }
}

/** The newest thing that happens inside an agent. */
export function latestInside(view: View, id: string): string {
  const item = transcript(view, id).findLast(({ type }) => type === 'tool' || type === 'assistant')
  if (item === undefined) return ''
  if (item.type === 'tool')
    return item.call === null ? (item.asked?.name ?? '') : `${item.call.name} ${callAbout(item.call, 80)}`
  if (item.type !== 'assistant') return ''
  const { text, status } = item.call
  // What is being said is at the end, what was said begins at the beginning.
  if (status !== 'running') return plainText(text.slice(0, 400)).slice(0, 160)
  const flat = plainText(text.slice(-400))
  return flat.length < 140 ? flat : `…${flat.slice(-140)}`
}

function field(value: Json, name: string): Json | undefined {
  return fieldsOf(value)[name]
}

function lastMessage(input: Json): Json | undefined {
  const messages = field(input, 'messages')
  const last = Array.isArray(messages) ? messages.at(-1) : messages
  return last === undefined ? undefined : (field(last, 'text') ?? field(last, 'content') ?? last)
}
