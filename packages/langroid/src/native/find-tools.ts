import type { ChatAgent } from './chat-agent.ts'
import type { ChatDocument, ToolUse } from './chat-document.ts'
import { findTextTools } from './find-text-tools.ts'
import { validationError } from './tool-message.ts'

/** The tools of a document, as one agent reads it. */
export interface FoundTools {
  /** Those that the agent knows. */
  readonly all: readonly ToolUse[]
  /** Those that it handles, and that are not addressed to another. */
  readonly mine: readonly ToolUse[]
  /** A known tool with arguments that do not fit: then the others do not count. */
  readonly broken?: ToolUse
}

const NONE: FoundTools = { all: [], mine: [] }

/** What a document asks of an agent: tools that travel with it, API calls, or JSON in its text. */
export function findTools(agent: ChatAgent, document: ChatDocument): FoundTools {
  const { toolMessages } = document
  if (toolMessages.length > 0)
    return { all: toolMessages, mine: toolMessages.filter((use) => isFor(agent, use)) }
  const all = candidates(agent, document)
  const broken = all.find((use) => use.error !== undefined)
  if (broken === undefined) return { all, mine: all.filter((use) => isFor(agent, use)) }
  const isOfModel = document.sender === 'LLM' || agent.messageHistory.at(-1)?.role === 'assistant'
  return isOfModel ? { ...NONE, broken } : NONE
}

/** True when the agent's part of the document is a tool, well-formed or not. */
export function isToolAttempt(agent: ChatAgent, document: ChatDocument): boolean {
  if (document.toolMessages.length > 0) return true
  if (document.sender !== 'LLM') return false
  const { mine, broken } = findTools(agent, document)
  return mine.length > 0 || broken !== undefined
}

/** True when its tools are all for others: the agent has nothing to answer. */
export function isForOthers(agent: ChatAgent, document: ChatDocument): boolean {
  const { all, mine } = findTools(agent, document)
  return all.length > 0 && mine.length === 0
}

function candidates(agent: ChatAgent, document: ChatDocument): readonly ToolUse[] {
  if (document.tools.some((use) => use.via === 'api'))
    return document.tools.filter((use) => agent.toolsHandled.has(use.name)).map((use) => checked(agent, use))
  const known = document.tools.filter((use) => agent.toolsKnown.has(use.name))
  if (known.length > 0) return known.map((use) => checked(agent, use))
  let count = 0
  const box = { known: agent.toolsKnown, handled: agent.toolsHandled }
  return findTextTools(document.content, box, () => `${TEXT}_${++count}`)
}

const TEXT = 'call_in_text'

/** Each agent has its own idea of what a tool's fields are. */
function checked(agent: ChatAgent, { error, ...use }: ToolUse): ToolUse {
  const parsed = agent.toolsKnown.get(use.name)?.parse(use.args)
  if (parsed === undefined || parsed.ok) return error === undefined ? use : { ...use, error }
  return { ...use, error: validationError(use.name, parsed.errors) }
}

function isFor(agent: ChatAgent, { name, args }: ToolUse): boolean {
  const { recipient } = args
  const isAddressed = typeof recipient === 'string' && recipient !== ''
  return agent.toolsHandled.has(name) && (!isAddressed || recipient === agent.name)
}
