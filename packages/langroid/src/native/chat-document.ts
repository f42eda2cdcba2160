import type { JsonObject } from '@clewline/core'
import type { ToolMessage } from './tool-message.ts'

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
  /** Tools that this document asks for, found in API calls or in the text. */
  readonly tools: readonly ToolUse[]
  /** Answers to API tool calls. */
  readonly results: readonly { readonly id: string; readonly content: string }[]
  /** Raised by an orchestration tool once its agent has handled it. */
  readonly signal?: Signal
  /** May not answer this document. */
  readonly block?: Entity
  /** True for words of an outside user: tools in them never reach handle-only handlers (GHSA-gjgq-w2m6-wr5q). */
  readonly tainted: boolean
  readonly status?: TaskStatus
}

type Signal =
  | { readonly kind: 'done'; readonly content: string; readonly tools: readonly ToolUse[] }
  /** Like done, and the calling task is done too. */
  | { readonly kind: 'final'; readonly content: string; readonly tools: readonly ToolUse[] }
  | { readonly kind: 'pass' }

export type TaskStatus = 'DONE' | 'OK' | 'STALLED' | 'FIXED_TURNS' | 'MAX_TURNS' | 'USER_QUIT' | 'CANCELLED'

/** One use of a tool, as the model or an agent asks for it. */
export interface ToolUse {
  /** The API's call id; a text tool gets one of ours. */
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly via: 'api' | 'text'
  /** Absent when the agent knows no tool of that name. */
  readonly tool?: ToolMessage
  /** Why the arguments cannot be used, in words for the model. */
  readonly error?: string
}

export function chatDocument(said: Partial<ChatDocument> & Pick<ChatDocument, 'sender'>): ChatDocument {
  return { content: '', recipient: '', tools: [], results: [], tainted: false, ...said }
}

/** True when there is nothing in it to answer. */
export function isEmptyDocument(document: ChatDocument | null, passWord = ''): boolean {
  if (document === null) return true
  const text = document.content.trim()
  return (
    (text === '' || text === passWord) &&
    document.tools.length === 0 &&
    document.results.length === 0 &&
    document.signal === undefined
  )
}
