import { z } from 'zod'
import type { ChatAgent } from './chat-agent.ts'
import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import { findTools } from './find-tools.ts'
import { ToolMessage, type ToolContext } from './tool-message.ts'

const words = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
const anyFields = z.record(z.string(), z.json())
/** A tool inside another: what `ToolMessage.use` makes. */
const Use: z.ZodType<ToolUse> = z.object({
  id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.json()),
  via: z.enum(['api', 'text', 'agent']),
  error: z.string().exactOptional(),
})

const Done: ToolMessage = ToolMessage({
  request: 'done_tool',
  purpose: 'To signal that the current task is done, with its final answer in <content>.',
  fields: z.object({ content: z.json().default('') }),
  handle: ({ content }) => done(Done.use({ content: words(content) }), content, []),
})

const AgentDone: ToolMessage = ToolMessage({
  request: 'agent_done_tool',
  purpose: "The agent's own way to end its task with <content> and <tools>.",
  fields: z.object({ content: z.json().default(null), tools: z.array(Use).default([]) }),
  handle: ({ content, tools }) => done(AgentDone.use({ content, tools: plain(tools) }), content, tools),
})

const Result: ToolMessage = ToolMessage({
  request: 'result_tool',
  purpose: 'To end the task with a structured result.',
  fields: z.looseObject({}),
  handle: (fields) => AgentDone.use({ tools: plain([Result.use(anyFields.parse(fields))]) }),
})

const FinalResult: ToolMessage = ToolMessage({
  request: 'final_result_tool',
  purpose: 'To end this task and every task that called it, with a structured result.',
  fields: z.looseObject({}),
  handle: (fields) =>
    chatDocument({ sender: 'Agent', toolMessages: [FinalResult.use(anyFields.parse(fields))] }),
})

const Pass: ToolMessage = ToolMessage({
  request: 'pass_tool',
  purpose: 'To pass the current message on, so that another agent can handle it.',
  fields: z.object({}),
  handle: (_fields, context) => passed('pass_tool', context),
})

const DonePass: ToolMessage = ToolMessage({
  request: 'done_pass_tool',
  purpose: 'To signal that the task is done, with the current message as its result.',
  fields: z.object({}),
  handle: (_fields, context) => {
    const message = passed('done_pass_tool', context)
    const tools = findTools(context.agent, message).mine
    const { content } = message
    return {
      ...done(AgentDone.use({ content, tools: plain(tools) }), content, tools),
      tainted: message.tainted,
    }
  },
})

const Forward: ToolMessage = ToolMessage({
  request: 'forward_tool',
  purpose: 'To forward the current message to an <agent>, which may be any entity or task.',
  fields: z.object({ agent: z.string() }),
  handle: ({ agent }, context) => ({ ...passed('forward_tool', context), recipient: agent }),
})

const Send: ToolMessage = ToolMessage({
  request: 'send_tool',
  purpose: 'To send <content> to an entity or task named in <to>.',
  fields: z.object({ to: z.string(), content: z.string().default('') }),
  handle: ({ to, content }) => chatDocument({ sender: 'Agent', recipient: to, content }),
})

const AgentSend: ToolMessage = ToolMessage({
  request: 'agent_send_tool',
  purpose: "The agent's own way to send <content> and <tools> to an entity or task named in <to>.",
  fields: z.object({ to: z.string(), content: z.string().default(''), tools: z.array(Use).default([]) }),
  handle: ({ to, content, tools }) =>
    chatDocument({ sender: 'Agent', recipient: to, content, toolMessages: tools }),
})

/**
 * Langroid's tools for steering tasks. Every agent handles them; a model may use only those that its agent enables:
 * `agent.enableMessage(orchestration.DoneTool)`. A handler returns one: `orchestration.AgentDoneTool.use({ content })`.
 */
export const orchestration = {
  DoneTool: Done,
  AgentDoneTool: AgentDone,
  ResultTool: Result,
  FinalResultTool: FinalResult,
  PassTool: Pass,
  DonePassTool: DonePass,
  ForwardTool: Forward,
  SendTool: Send,
  AgentSendTool: AgentSend,
}

const names = new Set(Object.values(orchestration).map((tool) => tool.request))

/** True for one of Langroid's tools that steer tasks. */
export function isOrchestration(name: string): boolean {
  return names.has(name)
}

/** The tools with which a task is done. */
export function endsTask({ name }: ToolUse): boolean {
  return name === Done.request || name === AgentDone.request || name === FinalResult.request
}

/** What a document's tools make of the result of the task that it ends. */
export function endingOf({ content, toolMessages }: ChatDocument): {
  readonly content: string
  readonly tools: readonly ToolUse[]
  readonly isEnd: boolean
} {
  const end = toolMessages.find(endsTask)
  if (end?.name === FinalResult.request) return { content: '', tools: [end], isEnd: true }
  const rest = toolMessages.filter((use) => !endsTask(use))
  if (end === undefined) return { content, tools: rest, isEnd: false }
  const { data } = z.object({ tools: z.array(Use) }).safeParse(end.args)
  const tools = end.name === AgentDone.request ? (data?.tools ?? []).filter((use) => !endsTask(use)) : rest
  return { content: words(end.args['content']), tools, isEnd: true }
}

function done(use: ToolUse, content: unknown, tools: readonly ToolUse[]): ChatDocument {
  return chatDocument({ sender: 'Agent', content: words(content), toolMessages: [use, ...tools] })
}

/** The message before the one that carries the tool, as if the agent had said it. */
function passed(name: string, { agent, document }: ToolContext): ChatDocument {
  let message = document ?? chatDocument({ sender: 'Agent' })
  while (message.parent !== undefined && carries(agent, message, name)) message = message.parent
  const { parent: _before, ...copy } = message
  return { ...copy, sender: 'Agent' }
}

function carries(agent: ChatAgent, message: ChatDocument, name: string): boolean {
  return findTools(agent, message).mine.some((use) => use.name === name)
}

function plain(tools: readonly ToolUse[]): { [key: string]: string | ToolUse['args'] }[] {
  return tools.map(({ id, name, args, via }) => ({ id, name, args, via }))
}
