import { isRecord } from '@clewline/core'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { DynamicStructuredTool } from '@langchain/core/tools'
import { Command, getConfig } from '@langchain/langgraph'
import type { FrontendTool } from '@clewline/core/source'
import { createMiddleware } from 'langchain'
import { FRONTEND_TOOLS } from './run-config.ts'

/**
 * Middleware for `createAgent` and `createDeepAgent`: the tools that a client brings with its run reach the model, and
 * when the model calls one the run ends, so that the client can run it and bring the result as a tool message in the
 * next run. Calls to the agent's own tools in the same answer are run first.
 */
export function frontendTools() {
  return createMiddleware({
    name: 'ClewlineFrontendTools',
    wrapModelCall(request, handler) {
      const tools = givenTools()
      if (tools.length === 0) return handler(request)
      const messages = answered(request.messages, tools)
      return handler({ ...request, messages, tools: [...request.tools, ...tools.map(asTool)] })
    },
    wrapToolCall(request, handler) {
      // Nothing is done here: the call stays unanswered until the client's tool message comes.
      return isGiven(request.toolCall.name) ? new Command({ update: {} }) : handler(request)
    },
    afterModel: {
      canJumpTo: ['end'],
      hook(state) {
        const open = unanswered(state.messages)
        return open.length > 0 && open.every((call) => isGiven(call.name)) ? { jumpTo: 'end' } : undefined
      },
    },
    beforeModel: {
      canJumpTo: ['end'],
      hook(state) {
        return unanswered(state.messages).some((call) => isGiven(call.name)) ? { jumpTo: 'end' } : undefined
      },
    },
  })
}

/** The tools that the client of this run runs itself; for graphs that bind tools to a model in their own nodes. */
export function givenTools(): readonly FrontendTool[] {
  const tools: unknown = getConfig()?.configurable?.[FRONTEND_TOOLS]
  return Array.isArray(tools) ? tools.filter(isFrontendTool) : []
}

const isGiven = (name: string): boolean => givenTools().some((tool) => tool.name === name)

function isFrontendTool(value: unknown): value is FrontendTool {
  return isRecord(value) && typeof value['name'] === 'string' && isRecord(value['parameters'])
}

function asTool({ name, description, parameters }: FrontendTool): DynamicStructuredTool {
  return new DynamicStructuredTool({
    name,
    description,
    schema: parameters,
    func: () => Promise.reject(new Error(`The client runs "${name}".`)),
  })
}

/** Unanswered calls of the last answer, as long as nothing but tool messages came after it. */
function unanswered(messages: readonly BaseMessage[]): readonly { id?: string; name: string }[] {
  const done = new Set<string>()
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]
    if (ToolMessage.isInstance(message)) done.add(message.tool_call_id)
    else if (AIMessage.isInstance(message))
      return (message.tool_calls ?? []).filter(({ id }) => id === undefined || !done.has(id))
    else return []
  }
  return []
}

/** Providers refuse a history with an open tool call: one that the user talked past is answered for them. */
function answered(messages: BaseMessage[], tools: readonly FrontendTool[]): BaseMessage[] {
  const names = new Set(tools.map((tool) => tool.name))
  const done = new Set(messages.flatMap((one) => (ToolMessage.isInstance(one) ? [one.tool_call_id] : [])))
  return messages.flatMap((message) => {
    if (!AIMessage.isInstance(message)) return [message]
    const open = (message.tool_calls ?? []).filter(
      ({ id, name }) => names.has(name) && id !== undefined && !done.has(id),
    )
    const content = 'The user did not run this.'
    return [
      message,
      ...open.map(
        ({ id = '', name }) => new ToolMessage({ content, tool_call_id: id, name, status: 'error' }),
      ),
    ]
  })
}
