import type { JsonObject } from '@clewline/core'

/** Who speaks in a task: Langroid's four entities. A sub-task speaks as `User` to its caller. */
export type Entity = 'Agent' | 'LLM' | 'User' | 'System'

/** One thing said in a conversation among an agent's entities. */
export interface ChatDocument {
  readonly content: string
  /** What people may read of it, where that is less: tools written as text are not in it. */
  readonly visible?: string
  readonly sender: Entity
  /** The task or agent that said it. */
  readonly senderName?: string
  /** Entity or task that must answer; empty means any that can. */
  readonly recipient: string
  readonly reasoning?: string
  /** Tools that the model asked for, in API calls or in its text, whether they are known or not. */
  readonly tools: readonly ToolUse[]
  /** Tools that travel with the document: found by the agent that handles them, or made by a handler. */
  readonly toolMessages: readonly ToolUse[]
  /** Answers to API tool calls. */
  readonly results: readonly { readonly id: string; readonly content: string }[]
  /** May not answer this document. */
  readonly block?: Entity
  /** True for words of an outside user: tools in them never reach handle-only handlers (GHSA-gjgq-w2m6-wr5q). */
  readonly tainted: boolean
  /** True for the words of a model or a handler, also after a task has relabelled them as its user's. */
  readonly fromAgent: boolean
  readonly status?: TaskStatus
  /** What it answers. */
  readonly parent?: ChatDocument
}

export type TaskStatus = 'DONE' | 'OK' | 'STALLED' | 'FIXED_TURNS' | 'MAX_TURNS' | 'USER_QUIT' | 'CANCELLED'

/** One use of a tool, as the model or an agent asks for it. Plain data, so that it can be journaled. */
export interface ToolUse {
  /** The API's call id; a text tool gets one of ours; empty for one that a handler made. */
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly via: 'api' | 'text' | 'agent'
  /** Why the arguments cannot be used, in words for the model. */
  readonly error?: string
}

export function chatDocument(said: Partial<ChatDocument> & Pick<ChatDocument, 'sender'>): ChatDocument {
  const fromAgent = said.sender === 'LLM' || said.sender === 'Agent'
  return {
    content: '',
    recipient: '',
    tools: [],
    toolMessages: [],
    results: [],
    tainted: false,
    fromAgent,
    ...said,
  }
}

/** The API calls of an answer. */
export function apiCalls(document: ChatDocument): readonly ToolUse[] {
  return document.tools.filter((use) => use.via === 'api')
}

/** True when there is nothing in it to answer. */
export function isEmptyDocument(document: ChatDocument | null, passWord = ''): boolean {
  if (document === null) return true
  const text = document.content.trim()
  return (
    (text === '' || text === passWord) &&
    apiCalls(document).length === 0 &&
    document.toolMessages.length === 0 &&
    document.results.length === 0
  )
}
