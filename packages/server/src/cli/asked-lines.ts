import { isRecord, type Envelope, type Json } from '@clewline/core'
import { textOf } from '@clewline/core/message'
import { oneLine } from './tree/text.ts'

type LlmStart = Extract<Envelope, { type: 'llm_start' }>

/** What each model call was asked, as lines: only the messages that are new since the call before of the same agent. */
export function createAskedLines(): (start: LlmStart) => readonly string[] {
  const before = new Map<string, readonly string[]>()

  return ({ agent, payload: { input, model } }) => {
    if (input === undefined) return [`? ${oneLine(model)}: what it was asked was not recorded`]
    const all = input.messages.map((message) => JSON.stringify(message))
    const known = before.get(agent) ?? []
    before.set(agent, all)
    const kept = all.findIndex((message, i) => message !== known[i])
    const first = kept === -1 ? all.length : kept
    const earlier = first === 0 ? [] : [`  … ${first} as before`]
    const lines = input.messages.slice(first).map(({ type, content, ...rest }) => {
      const said = oneLine(textOf(content)) || callsOf(rest['tool_calls'])
      return `  ${type}: ${said}`
    })
    const tools = (input.tools ?? []).map(nameOf).filter((name) => name !== '')
    return [
      `? asks ${oneLine(model)}`,
      ...earlier,
      ...lines,
      ...(tools.length === 0 ? [] : [`  tools: ${tools.join(', ')}`]),
    ]
  }
}

function callsOf(calls: Json | undefined): string {
  if (!Array.isArray(calls)) return ''
  return calls.map((call: Json) => `${nameOf(call)}()`).join(', ')
}

function nameOf(tool: Json): string {
  if (!isRecord(tool)) return ''
  const inner = isRecord(tool['function']) ? tool['function'] : tool
  return typeof inner['name'] === 'string' ? inner['name'] : ''
}
