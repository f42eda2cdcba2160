import { z } from 'zod'
import { chatDocument } from './chat-document.ts'
import { ToolMessage } from './tool-message.ts'

const anything = z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.json())])
const words = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

const Done = ToolMessage({
  request: 'done_tool',
  purpose: 'To signal that the current task is done, with its final answer in <content>.',
  fields: z.object({ content: anything.default('') }),
  handle: ({ content }) => done(words(content)),
})

const AgentDone = ToolMessage({
  request: 'agent_done_tool',
  purpose: "The agent's own way to end its task with <content>.",
  fields: z.object({ content: anything.default('') }),
  handle: ({ content }) => done(words(content)),
})

const Result = ToolMessage({
  request: 'result_tool',
  purpose: 'To end the task with a structured result.',
  fields: z.looseObject({}),
  handle: (fields) => done(JSON.stringify(fields)),
})

const FinalResult = ToolMessage({
  request: 'final_result_tool',
  purpose: 'To end this task and every task that called it, with a structured result.',
  fields: z.looseObject({}),
  handle: (fields) =>
    chatDocument({
      sender: 'Agent',
      content: JSON.stringify(fields),
      signal: { kind: 'final', content: JSON.stringify(fields), tools: [] },
    }),
})

const Pass = ToolMessage({
  request: 'pass_tool',
  purpose: 'To pass the current message on, so that another agent can handle it.',
  fields: z.object({}),
  handle: () => chatDocument({ sender: 'Agent', signal: { kind: 'pass' } }),
})

const DonePass = ToolMessage({
  request: 'done_pass_tool',
  purpose: 'To signal that the task is done, with the current message as its result.',
  fields: z.object({}),
  handle: (_fields, { document }) => done(document?.content ?? ''),
})

const Forward = ToolMessage({
  request: 'forward_tool',
  purpose: 'To forward the current message to an <agent>, which may be any entity or task.',
  fields: z.object({ agent: z.string() }),
  handle: ({ agent }, { document }) =>
    chatDocument({ sender: 'Agent', recipient: agent, content: document?.content ?? '' }),
})

const Send = ToolMessage({
  request: 'send_tool',
  purpose: 'To send <content> to an entity or task named in <to>.',
  fields: z.object({ to: z.string(), content: z.string().default('') }),
  handle: ({ to, content }) => chatDocument({ sender: 'Agent', recipient: to, content }),
})

const AgentSend = ToolMessage({
  request: 'agent_send_tool',
  purpose: "The agent's own way to send <content> to an entity or task named in <to>.",
  fields: z.object({ to: z.string(), content: z.string().default('') }),
  handle: ({ to, content }) => chatDocument({ sender: 'Agent', recipient: to, content }),
})

/**
 * Langroid's tools for steering tasks. Every agent handles them; a model may use only those that its agent enables:
 * `agent.enableMessage(orchestration.DoneTool)`.
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

function done(content: string): ReturnType<typeof chatDocument> {
  return chatDocument({ sender: 'Agent', content, signal: { kind: 'done', content, tools: [] } })
}
