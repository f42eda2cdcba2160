import {
  type Completion,
  type Delta,
  type Envelope,
  isRecord,
  type Json,
  type JsonObject,
  type Message,
  type RawMessage,
  type ToolCall,
} from '@clewline/core'
import { isCompletion } from '@clewline/core/message'
import type { Draft } from '@clewline/core/source'
import type { RedactWhere } from './redact.ts'

/** Gives what is recorded in the place of a value. */
export interface See {
  value(value: Json, where: RedactWhere): Json
  text(text: string, where: RedactWhere): string
}

/**
 * A payload in which every value that an agent, a model or a person chose has been seen. What has a shape keeps it. Names of
 * tools, nodes and models, ids and counts are as they were: readers match on them.
 */
export function redactPayload(said: Draft | Envelope, see: See): (Draft | Envelope)['payload'] {
  switch (said.type) {
    case 'tool_start': {
      const { args, input, config, context, meta, ...rest } = said.payload
      const isTool = rest.kind === 'tool'
      return {
        ...rest,
        ...(args !== undefined && { args: see.value(args, 'tool_input') }),
        ...(input !== undefined && { input: see.value(input, isTool ? 'tool_input' : 'state') }),
        ...(meta !== undefined && { meta: { ...fieldsOf(meta, 'custom', see), ...idOf(meta.tool_call_id) } }),
        ...(config !== undefined && { config: fieldsOf(config, 'config', see) }),
        ...(context !== undefined && { context: see.value(context, 'config') }),
      }
    }
    case 'tool_update': {
      const { text, delta, data, ...rest } = said.payload
      return {
        ...rest,
        ...(text !== undefined && { text: see.text(text, 'token') }),
        ...(delta !== undefined && { delta: deltaOf(delta, see) }),
        ...(data !== undefined && { data: see.value(data, 'custom') }),
      }
    }
    case 'tool_end': {
      const { result, raw, ...rest } = said.payload
      return {
        ...rest,
        result: isCompletion(result) ? completionOf(result, see) : see.value(result, 'tool_output'),
        ...(raw !== undefined && { raw: see.value(raw, 'tool_output') }),
      }
    }
    case 'llm_start': {
      const { input, params, ...rest } = said.payload
      if (input === undefined) return { ...rest, params: fieldsOf(params, 'config', see) }
      const { messages, tools, tool_choice, response_format } = input
      return {
        ...rest,
        params: fieldsOf(params, 'config', see),
        input: {
          messages: messages.map((message) => rawOf(message, 'llm_input', see)),
          ...(tools !== undefined && { tools: tools.map((tool) => see.value(tool, 'llm_input')) }),
          ...(tool_choice !== undefined && { tool_choice: see.value(tool_choice, 'llm_input') }),
          ...(response_format !== undefined && { response_format: see.value(response_format, 'llm_input') }),
        },
      }
    }
    case 'llm_token':
      return { ...said.payload, text: see.text(said.payload.text, 'token') }
    case 'llm_end': {
      const { message, raw, ...rest } = said.payload
      return {
        ...rest,
        message: {
          ...message,
          ...spoken(message, 'llm_output', see),
          tool_calls: calls(message.tool_calls, see),
        },
        ...(raw !== undefined && { raw: rawOf(raw, 'llm_output', see) }),
      }
    }
    case 'subgraph_checkpoint': {
      const { interrupts, ...rest } = said.payload
      if (interrupts === undefined) return rest
      return {
        ...rest,
        interrupts: interrupts.map((one) => ({ ...one, value: see.value(one.value, 'question') })),
      }
    }
    case 'subgraph_resume': {
      const { answers, ...rest } = said.payload
      if (answers === undefined) return rest
      return { ...rest, answers: answers.map((one) => ({ ...one, value: see.value(one.value, 'answer') })) }
    }
    case 'warning': {
      const { code, message, ...facts } = said.payload
      return { ...fieldsOf(facts, 'custom', see), code, message: see.text(message, 'custom') }
    }
    case 'error': {
      const { message, stack, fields, ...rest } = said.payload
      return {
        ...rest,
        message: see.text(message, 'error'),
        stack: stack === '' ? '' : see.text(stack, 'error'),
        ...(fields !== undefined && { fields: fieldsOf(fields, 'error', see) }),
      }
    }
  }
}

const idOf = (tool_call_id: string | undefined): { tool_call_id?: string } =>
  tool_call_id === undefined ? {} : { tool_call_id }

/** What must be an object stays one, whatever was made of it. */
function fieldsOf(fields: JsonObject, where: RedactWhere, see: See): JsonObject {
  const seen = see.value(fields, where)
  return isObject(seen) ? seen : { redacted: seen }
}

function rawOf(message: RawMessage, where: RedactWhere, see: See): RawMessage {
  const seen = see.value(message, where)
  if (!isObject(seen)) return { type: message.type, content: seen }
  const { content = '' } = seen
  // As it is if nothing has changed: the log shares messages by object.
  return isRaw(seen) ? seen : { ...seen, type: message.type, content }
}

function spoken(message: Pick<Message, 'text' | 'reasoning' | 'content'>, where: RedactWhere, see: See) {
  const { text, reasoning, content } = message
  return {
    text: see.text(text, where),
    ...(reasoning !== undefined && { reasoning: see.text(reasoning, where) }),
    ...(content !== undefined && { content: content.map((block) => see.value(block, where)) }),
  }
}

function calls(made: readonly ToolCall[], see: See): readonly ToolCall[] {
  return made.map((call) => ({ ...call, args: see.value(call.args, 'tool_input') }))
}

function completionOf(result: Completion, see: See): Completion {
  const { messages, files, output } = result
  return {
    ...result,
    messages: messages.map((message) => ({
      ...message,
      ...spoken(message, 'message', see),
      ...(message.tool_calls !== undefined && { tool_calls: calls(message.tool_calls, see) }),
    })),
    files: filesOf(files, see),
    ...(output !== undefined && { output: see.value(output, 'state') }),
  }
}

function deltaOf({ todos, files, state }: Delta, see: See): Delta {
  const { added, changed, removed } = files ?? {}
  return {
    ...(todos !== undefined && {
      todos: todos.map((todo) => ({ ...todo, content: see.text(todo.content, 'state') })),
    }),
    ...(files !== undefined && {
      files: {
        ...(added !== undefined && { added: filesOf(added, see) }),
        ...(changed !== undefined && { changed: filesOf(changed, see) }),
        ...(removed !== undefined && { removed: removed.map((name) => see.text(name, 'file')) }),
      },
    }),
    ...(state !== undefined && { state: fieldsOf(state, 'state', see) }),
  }
}

function filesOf(files: Readonly<Record<string, string>>, see: See): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [see.text(name, 'file'), see.text(content, 'file')]),
  )
}

function isObject(value: Json): value is JsonObject {
  return isRecord(value)
}

function isRaw(value: JsonObject): value is RawMessage {
  return typeof value['type'] === 'string' && value['content'] !== undefined
}
