import { isRecord } from '@clewline/core'
import type { Interrupt, Json, JsonObject } from '@clewline/core'
import type { Answer, FrontendTool } from '@clewline/core/source'
import { answeredBy } from '../interrupt-id.ts'
import type { StartRun, ThreadState } from '../threads.ts'
import type { AguiInput, AguiInputMessage, AguiResume, AguiToolCall } from './parse-input.ts'

/** What to start for an input: an answer to what the thread waits for, or what is new in messages and state. */
export function runRequest(
  agent: string,
  input: AguiInput,
  thread: ThreadState | null,
  forward: readonly string[],
): StartRun {
  const answers = answersOf(input, thread?.interrupts ?? [])
  return {
    thread_id: input.threadId,
    run_id: input.runId,
    agent,
    request:
      answers.length > 0
        ? { kind: 'resume', answers }
        : {
            kind: 'input',
            input: { ...changedState(input.state, thread), messages: newMessages(input, thread) },
          },
    tools: input.tools.map(frontendTool),
    configurable: configurable(input, forward),
  }
}

function answersOf(input: AguiInput, open: readonly Interrupt[]): readonly Answer[] {
  if (input.resume.length > 0) {
    return input.resume.map((entry) => {
      const question = answeredBy(entry.interruptId, open)
      const asked = open.find(({ id }) => id === question.interrupt_id)
      return { ...question, value: answerValue(entry, asked) }
    })
  }
  // How clients answered before RunAgentInput.resume: `forwardedProps.command.resume`, to the only open question.
  const command = member(input.forwardedProps, 'command')
  const resume = member(command, 'resume')
  return resume === undefined ? [] : [{ value: parsed(resume) }]
}

function answerValue(entry: AguiResume, interrupt: Interrupt | undefined): Json {
  if (entry.status === 'resolved') return entry.payload ?? null
  // LangChain's human-in-the-loop middleware wants one decision for each action that it asked about.
  const actions = member(interrupt?.value, 'actionRequests')
  if (Array.isArray(actions)) return { decisions: actions.map(() => ({ type: 'reject' })) }
  return entry.payload ?? { status: 'cancelled' }
}

function parsed(value: Json): Json {
  if (typeof value !== 'string') return value
  try {
    const json: Json = JSON.parse(value)
    return json
  } catch {
    return value
  }
}

/**
 * Clients send their whole history each time: it is deduped by id, so that only what the thread lacks is input. Messages
 * of an assistant are the thread's own, unless the thread is empty and the client brings a conversation from elsewhere.
 */
function newMessages(input: AguiInput, thread: ThreadState | null): JsonObject[] {
  const had = thread?.messages ?? []
  const ids = new Set(had.map((message) => message.id))
  const answered = new Set(had.flatMap((message) => message.tool_call_id ?? []))
  const brought = new Set(input.messages.flatMap((message) => message.toolCallId ?? []))
  return input.messages
    .filter((message) => {
      if (ids.has(message.id)) return false
      switch (message.role) {
        case 'user':
          return true
        case 'tool':
          return message.toolCallId !== undefined && !answered.has(message.toolCallId)
        case 'system':
        case 'developer':
        case 'assistant':
          return had.length === 0 && (message.content !== '' || callsOf(message, brought).length > 0)
        default:
          return false
      }
    })
    .map((message) => inputMessage(message, brought))
}

/** The calls of a message whose answers came along: providers refuse a call without an answer, and the other way round. */
function callsOf(
  { toolCalls = [] }: AguiInputMessage,
  answered: ReadonlySet<string>,
): readonly AguiToolCall[] {
  return toolCalls.filter((call) => answered.has(call.id))
}

function inputMessage(message: AguiInputMessage, answered: ReadonlySet<string>): JsonObject {
  const calls = callsOf(message, answered)
  return {
    id: message.id,
    role: message.role === 'developer' ? 'system' : message.role,
    content: contentOf(message.content),
    ...(message.name !== undefined && { name: message.name }),
    ...(message.toolCallId !== undefined && { tool_call_id: message.toolCallId }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: json }) => ({
        id,
        name,
        args: parsed(json),
        type: 'tool_call',
      })),
    }),
  }
}

/** AG-UI's parts as the blocks that chat models read: text and images by URL or data; other media stay as they are. */
function contentOf(content: Json): Json {
  if (!Array.isArray(content)) return content
  return content.map((part: Json): Json => {
    const source = member(part, 'source')
    const value = member(source, 'value')
    if (member(part, 'type') !== 'image' || typeof value !== 'string') return part
    const mime = member(source, 'mimeType')
    const url =
      member(source, 'type') === 'data' && typeof mime === 'string' ? `data:${mime};base64,${value}` : value
    return { type: 'image_url', image_url: { url } }
  })
}

/** Only what the client changed: writing back what it was shown would double every list that the graph appends to. */
function changedState(state: Json, thread: ThreadState | null): JsonObject {
  if (!isRecord(state)) return {}
  const values = isRecord(thread?.values) ? thread.values : {}
  return Object.fromEntries(
    Object.entries(state).filter(
      ([key, value]) => key !== 'messages' && JSON.stringify(value) !== JSON.stringify(values[key]),
    ),
  )
}

function frontendTool({ name, description, parameters }: AguiInput['tools'][number]): FrontendTool {
  return { name, description, parameters: isRecord(parameters) ? parameters : {} }
}

function configurable(input: AguiInput, forward: readonly string[]): JsonObject {
  const forwarded = forward.flatMap((key) => {
    const value = member(input.forwardedProps, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return {
    ...Object.fromEntries(forwarded),
    ...(input.context.length > 0 && { context: input.context.map((item) => ({ ...item })) }),
  }
}

function member(value: Json | undefined, key: string): Json | undefined {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}
