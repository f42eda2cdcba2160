import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { ClientTool, ServerTool } from '@langchain/core/tools'
import type { AgentMiddleware, InterruptOnConfig } from 'langchain'

/** Any tool that LangChain's `createAgent` takes. */
export type AgentTool = ClientTool | ServerTool

/** Which tools wait for a human, as in LangChain's `humanInTheLoopMiddleware`. */
export type InterruptOn = Readonly<Record<string, boolean | InterruptOnConfig>>

/** A specialist that the main agent may hand a task to. It starts with an empty conversation every time. */
export interface SubAgent {
  readonly name: string
  /** For the model that chooses: what this agent is good at and when to use it. */
  readonly description: string
  /** Its own instructions. */
  readonly prompt: string
  /**
   * Exactly the tools that it has, built-in ones included, by name or as instances. Left out: all tools of the agent
   * that it belongs to.
   */
  readonly tools?: readonly (string | AgentTool)[]
  /** Left out: the model of the agent that it belongs to. */
  readonly model?: string | BaseChatModel
  /** Settings that differ from that model's, such as `temperature`. */
  readonly modelSettings?: Readonly<Record<string, unknown>>
  /** Agents that this one may hand tasks to. With none it cannot delegate. */
  readonly subagents?: readonly SubAgent[]
  /** Added to what the main agent asks approval for; false takes a tool off the list. */
  readonly interruptOn?: InterruptOn
  readonly middleware?: readonly AgentMiddleware[]
}
