import type { ChatAgent, ResponseOptions } from './chat-agent.ts'
import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import { findTools, isForOthers } from './find-tools.ts'
import { combineResults, readResult, resultEntry } from './handler-result.ts'
import { noJournal } from './journal.ts'
import { isOrchestration, orchestration } from './orchestration.ts'
import { isRecipientTool, recipientReminder } from './recipient-tool.ts'

const ONE_TOOL = 'ERROR: Use ONE tool at a time!'

/** Handles the tools of a document, as Langroid's `agent_response`. Null when there are none for this agent. */
export async function respondAsAgent(
  agent: ChatAgent,
  message: ChatDocument,
  options: ResponseOptions,
): Promise<ChatDocument | null> {
  const { mine, broken } = findTools(agent, message)
  if (broken?.error !== undefined) return await refuse([broken], broken.error, options)
  const allowed = mine.filter((use) => mayTrigger(agent, use, message))
  if (allowed.length === 0) return await withoutTool(agent, message, options)
  const isSteered = allowed.some(({ name }) => isOrchestration(name) || isRecipientTool(name))
  if (allowed.length > 1 && isSteered) return await refuse(allowed, ONE_TOOL, options)
  const answers = []
  for (const use of allowed)
    answers.push({ use, document: await agent.handleTool(use, { ...options, document: message }) })
  return combineResults(answers)
}

/** Tells the model, for each of its calls, why it was not handled. */
async function refuse(
  uses: readonly ToolUse[],
  error: string,
  { onTool }: ResponseOptions,
): Promise<ChatDocument | null> {
  for (const use of uses) {
    await onTool?.(use, { type: 'start' })
    await onTool?.(use, { type: 'result', content: error, error })
  }
  return combineResults(
    uses.map((use) => ({ use, document: chatDocument({ sender: 'Agent', content: error }) })),
  )
}

/** Words of an outside user reach only tools that the model may use too (GHSA-gjgq-w2m6-wr5q). */
function mayTrigger(
  agent: ChatAgent,
  use: ToolUse,
  { sender, tainted, fromAgent, ...said }: ChatDocument,
): boolean {
  const isStructured = said.toolMessages.length > 0 || said.tools.length > 0
  const isTrusted = !tainted && (sender !== 'User' || fromAgent || isStructured)
  return isTrusted || agent.toolsUsable.has(use.name)
}

async function withoutTool(
  agent: ChatAgent,
  message: ChatDocument,
  options: ResponseOptions,
): Promise<ChatDocument | null> {
  if (message.sender !== 'LLM') return null
  const reminder = recipientReminder(agent, message)
  if (reminder !== undefined) return reminder
  const action = agent.handleNoTool
  if (action === undefined || isForOthers(agent, message)) return null
  const handle = { ...options, document: message }
  if (action === 'done') {
    const { content, toolMessages } = message
    const tools = toolMessages.map(({ id, name, args, via }) => ({ id, name, args, via }))
    return await agent.toDocument(orchestration.AgentDoneTool.use({ content, tools }), handle)
  }
  if (action === 'forward-user')
    return await agent.toDocument(orchestration.ForwardTool.use({ agent: 'User' }), handle)
  if (typeof action === 'string') return await agent.toDocument(action, handle)
  const { journal = noJournal } = options
  const result = await journal.once(`no tool of ${agent.name}`, async () =>
    resultEntry(await action(message)),
  )
  return await agent.toDocument(readResult(result), handle)
}
