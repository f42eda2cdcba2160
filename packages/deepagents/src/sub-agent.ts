import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Runnable } from '@langchain/core/runnables'
import type { ClientTool, ServerTool } from '@langchain/core/tools'
import type { AgentMiddleware, CreateAgentParams, InterruptOnConfig } from 'langchain'

/** Any tool that LangChain's `createAgent` takes. */
export type AgentTool = ClientTool | ServerTool

/** Which tools wait for a human, as in LangChain's `humanInTheLoopMiddleware`. */
export type InterruptOn = Readonly<Record<string, boolean | InterruptOnConfig>>

/** How an agent may be asked for a structured response, as in LangChain's `createAgent`. */
export type ResponseFormat = CreateAgentParams['responseFormat']

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
  readonly subagents?: readonly AnySubAgent[]
  /** Added to what the main agent asks approval for; false takes a tool off the list. */
  readonly interruptOn?: InterruptOn
  readonly middleware?: readonly AgentMiddleware[]
  /** Its answer is then this, as JSON; also the `artifact` of the tool message. */
  readonly responseFormat?: ResponseFormat
}

/** A sub-agent that is any compiled graph, or another runnable, which takes and returns `messages`. */
export interface CompiledSubAgent {
  readonly name: string
  /** For the model that chooses: what this agent is good at and when to use it. */
  readonly description: string
  /** Gets the task as `messages`, the current `files`, and the user's own state; what it returns as `files` is taken. */
  readonly runnable: Runnable
}

/** `general-purpose` as a name takes the place of the built-in one. */
export type AnySubAgent = SubAgent | CompiledSubAgent
