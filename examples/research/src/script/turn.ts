import type { BaseMessage } from '@langchain/core/messages'

/** What the scripted model says next. */
export interface Turn {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
}

export interface ScriptedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A tool call that was answered. */
export interface Answered {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly answer: string
  readonly failed: boolean
}

/** A conversation as a script reads it. All that a script knows is in here, so it can be resumed anywhere. */
export interface Conversation {
  readonly system: string
  /** The user's newest message. */
  readonly request: string
  /** How often the model has spoken since then. */
  readonly step: number
  /** What the tools have answered since then, in order. */
  readonly since: readonly Answered[]
  /** The same, of everything before that message. */
  readonly before: readonly Answered[]
}

export function readConversation(messages: readonly BaseMessage[]): Conversation {
  const start = messages.findLastIndex((message) => message.type === 'human')
  const recent = messages.slice(Math.max(start, 0))
  return {
    system: messages
      .filter((message) => message.type === 'system')
      .map((message) => message.text)
      .join('\n'),
    request: messages[start]?.text ?? '',
    step: recent.filter((message) => message.type === 'ai').length,
    since: answeredIn(recent),
    before: answeredIn(messages.slice(0, Math.max(start, 0))),
  }
}

interface RawCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

function answeredIn(messages: readonly BaseMessage[]): Answered[] {
  const calls = new Map<string, RawCall>()
  const answered: Answered[] = []
  for (const message of messages) {
    for (const call of callsOf(message)) if (call.id !== undefined) calls.set(call.id, call)
    if (message.type !== 'tool' || !('tool_call_id' in message)) continue
    const call = calls.get(String(message.tool_call_id))
    if (call === undefined) continue
    const failed = 'status' in message && message.status === 'error'
    answered.push({ name: call.name, args: call.args, answer: message.text, failed })
  }
  return answered
}

function callsOf(message: BaseMessage): readonly RawCall[] {
  if (message.type !== 'ai' || !('tool_calls' in message) || !Array.isArray(message.tool_calls)) return []
  const calls: RawCall[] = message.tool_calls
  return calls
}

/** The text that a tool call was given under this name, or ''. */
export function textArg(call: Answered | undefined, name: string): string {
  const value = call?.args[name]
  return typeof value === 'string' ? value : ''
}

/** A file as `read_file` answered it, without the line numbers. */
export function fileText(answer: string): string {
  return answer
    .split('\n')
    .map((line) => line.replace(/^ *\d+\t/, ''))
    .join('\n')
}
