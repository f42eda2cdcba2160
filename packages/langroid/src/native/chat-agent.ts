import { ClewlineError } from '@clewline/core'
import type { z } from 'zod'
import { unansweredCalls, type LLMMessage } from '../llm-message.ts'
import { callIds } from './call-ids.ts'
import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import { respondAsAgent } from './agent-response.ts'
import { documentOf, readResult, resultEntry } from './handler-result.ts'
import { findTools } from './find-tools.ts'
import { historyEntries } from './history-entries.ts'
import { noJournal, type Journal } from './journal.ts'
import type { LanguageModel, OutputFormat } from './language-model.ts'
import { modelTurn, type TurnObserver } from './model-turn.ts'
import { isOrchestration, orchestration } from './orchestration.ts'
import { parseRecipient } from './parse-routing.ts'
import { parametersOf, type HandlerResult, type HandlerUpdate, type ToolMessage } from './tool-message.ts'
import { toolPrompt } from './tool-prompt.ts'

export interface ChatAgentConfig {
  readonly name?: string
  readonly description?: string
  readonly model: LanguageModel
  readonly systemMessage?: string
  /** Enabled for use and, when they have a handler, for handling. */
  readonly tools?: readonly ToolMessage[]
  /** Whether the provider must keep to the schemas of tools that do not say. Default false. */
  readonly strict?: boolean
  /** The form of every answer that is no tool call: JSON, which the provider must keep to. */
  readonly output?: z.ZodType
  /** `api`: the model's own tool calls (the default). `text`: JSON in the answer, for models that have none. */
  readonly toolFormat?: 'api' | 'text'
  /**
   * In a task: what the agent answers when the model used no tool. `done` ends the task with the model's words,
   * `forward-user` asks the user; any other text reminds the model.
   */
  readonly handleNoTool?: NoToolAction
}

/** What to do with words of the model that ask for no tool. */
export type NoToolAction = string | ((document: ChatDocument) => HandlerResult)

/** A model with a memory and tools. Knowing a tool, using it and handling it are three different things. */
export interface ChatAgent {
  readonly kind: 'chat-agent'
  readonly name: string
  readonly description: string
  readonly model: LanguageModel
  readonly toolFormat: 'api' | 'text'
  readonly handleNoTool: NoToolAction | undefined
  systemMessage: string
  /** What was said, without the system message, which is written anew before every model call. */
  messageHistory: LLMMessage[]
  readonly toolsKnown: ReadonlyMap<string, ToolMessage>
  readonly toolsUsable: ReadonlySet<string>
  readonly toolsHandled: ReadonlySet<string>
  enableMessage(tools: ToolMessage | readonly ToolMessage[], options?: EnableOptions): void
  disableMessage(request: string): void
  /** Asks the model. Null when there is nothing to say: no payload, or tools that must be handled first. */
  llmResponse(message?: string | ChatDocument | null, options?: ResponseOptions): Promise<ChatDocument | null>
  /** Handles the tools of a document. Null when there are none for this agent. A handler's exception passes through. */
  agentResponse(message: ChatDocument, options?: ResponseOptions): Promise<ChatDocument | null>
  /** Runs one handler. Throws what it throws. */
  handleTool(use: ToolUse, options?: HandleOptions): Promise<ChatDocument | null>
  /** What a handler returned, as a document. A tool is handled by this agent if it can, else it travels on. */
  toDocument(
    result: HandlerResult,
    options?: HandleOptions & { readonly of?: string },
  ): Promise<ChatDocument | null>
  /** Adds what was said to the history, answering open tool calls. */
  remember(document: ChatDocument): void
  /** A new agent of the same make with an empty history. Shares nothing that changes. */
  clone(): ChatAgent
}

interface EnableOptions {
  readonly use?: boolean
  readonly handle?: boolean
}

export interface ResponseOptions {
  readonly signal?: AbortSignal
  readonly observe?: TurnObserver
  /** Tools of this call only, which the client handles. */
  readonly extraTools?: readonly ToolMessage[]
  /** The form of this answer, instead of the agent's `output`. */
  readonly output?: OutputFormat
  readonly onTool?: ToolObserver
  /** What must not happen twice; none by default. */
  readonly journal?: Journal
}

export interface HandleOptions {
  readonly signal?: AbortSignal
  readonly document?: ChatDocument
  readonly onTool?: ToolObserver
  readonly journal?: Journal
}

/** Sees handlers at work. */
export type ToolObserver = (use: ToolUse, event: ToolEvent) => void | Promise<void>

type ToolEvent =
  | { readonly type: 'start' }
  | ({ readonly type: 'update' } & HandlerUpdate)
  | { readonly type: 'result'; readonly content: string; readonly error: string | null }

const orchestrationTools = Object.values(orchestration)
const NEVER = new AbortController().signal

export function ChatAgent(config: ChatAgentConfig): ChatAgent {
  return create(config, new Map(), new Set(), new Set())
}

function create(
  config: ChatAgentConfig,
  known: Map<string, ToolMessage>,
  usable: Set<string>,
  handled: Set<string>,
): ChatAgent {
  const format = config.toolFormat ?? 'api'
  const uniqueId = callIds(() => agent.messageHistory)
  const output = config.output && { name: 'output', schema: parametersOf(config.output) }

  const agent: ChatAgent = {
    kind: 'chat-agent',
    name: config.name ?? 'agent',
    description: config.description ?? '',
    model: config.model,
    toolFormat: format,
    handleNoTool: config.handleNoTool,
    systemMessage: config.systemMessage ?? 'You are a helpful assistant.',
    messageHistory: [],
    toolsKnown: known,
    toolsUsable: usable,
    toolsHandled: handled,

    enableMessage(tools, options = {}) {
      for (const tool of [tools].flat()) {
        if (options.handle === true && !tool.hasHandler) {
          throw new ClewlineError('bad-config', `The tool "${tool.request}" has no handler.`, {
            hint: 'Give its ToolMessage a `handle`, or enable it with `{ handle: false }`.',
          })
        }
        known.set(tool.request, tool)
        setMember(usable, tool.request, options.use ?? true)
        setMember(handled, tool.request, options.handle ?? tool.hasHandler)
      }
    },

    disableMessage(request) {
      usable.delete(request)
      handled.delete(request)
    },

    async llmResponse(message, options = {}) {
      const document =
        typeof message === 'string'
          ? chatDocument({ content: message, sender: 'User', tainted: true })
          : message
      if (document !== undefined && document !== null) {
        if (findTools(agent, document).mine.length > 0) return null
        const isAnswer = unansweredCalls(agent.messageHistory).length > 0
        if (document.content.trim() === '' && document.results.length === 0 && !isAnswer) return null
      }
      const before = agent.messageHistory.length
      if (document !== undefined && document !== null) agent.remember(document)
      if (agent.messageHistory.length === 0) return null
      const extra = (options.extraTools ?? []).filter((tool) => !handled.has(tool.request))
      const offered = [
        ...[...known.values()].filter(
          (tool) => usable.has(tool.request) && !extra.some((other) => other.request === tool.request),
        ),
        ...extra,
      ]
      try {
        const said = await modelTurn({
          agent: agent.name,
          model: config.model,
          messages: [{ role: 'system', content: systemText(offered) }, ...agent.messageHistory],
          specs: offered.map((tool) => ({
            name: tool.request,
            description: tool.purpose,
            parameters: tool.parameters,
            ...((tool.strict ?? config.strict) && { strict: true }),
          })),
          output: options.output ?? output,
          box: { known: new Map([...known, ...extra.map((tool) => [tool.request, tool] as const)]), handled },
          format,
          uniqueId,
          signal: options.signal ?? NEVER,
          observe: options.observe ?? (() => {}),
          journal: options.journal ?? noJournal,
        })
        const { recipient, content } = parseRecipient(said.document)
        const isAddressed = content !== said.document.content
        agent.messageHistory.push(isAddressed ? { ...said.message, content } : said.message)
        return { ...said.document, recipient, content }
      } catch (error) {
        // What the model did not answer was not said: a later call must not find half an exchange.
        agent.messageHistory.length = before
        throw error
      }
    },

    agentResponse: async (message, options = {}) => await respondAsAgent(agent, message, options),

    async handleTool(use, options = {}) {
      const parsed = known.get(use.name)?.parse(use.args)
      if (!handled.has(use.name) || parsed === undefined || !parsed.ok) {
        throw new ClewlineError('bad-request', `The tool "${use.name}" is not enabled for handling.`, {
          hint: `Handled tools: ${[...handled].join(', ')}.`,
        })
      }
      const { onTool, journal = noJournal } = options
      await onTool?.(use, { type: 'start' })
      try {
        const happen = async (): Promise<HandlerResult> =>
          await parsed.handle({
            tool_call_id: use.id,
            agent,
            document: options.document,
            signal: options.signal ?? NEVER,
            update: (update) => onTool?.(use, { type: 'update', ...update }),
          })
        // Langroid's own tools have no effects and may hand on what no journal can keep: they are handled again.
        const result = isOrchestration(use.name)
          ? await happen()
          : readResult(await journal.once(`tool ${use.name}`, async () => resultEntry(await happen())))
        const document = await agent.toDocument(result, { ...options, of: use.name })
        await onTool?.(use, { type: 'result', content: document?.content ?? '', error: null })
        return document
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error)
        await onTool?.(use, { type: 'result', content: `Tool "${use.name}" failed: ${words}`, error: words })
        throw error
      }
    },

    async toDocument(result, { of, ...options } = {}) {
      const read = documentOf(result)
      if (read === null || 'sender' in read) return read
      // A tool: handled here if this agent can, or handed on to one that does.
      if (!handled.has(read.name) || read.name === of) {
        return chatDocument({ sender: 'Agent', toolMessages: [read] })
      }
      const { onTool: _unseen, ...quietly } = options
      return await agent.handleTool(read, quietly)
    },

    remember(document) {
      agent.messageHistory.push(...historyEntries(agent.messageHistory, document))
    },

    clone() {
      const copy = create(config, new Map(known), new Set(usable), new Set(handled))
      copy.systemMessage = agent.systemMessage
      return copy
    },
  }

  function systemText(offered: readonly ToolMessage[]): string {
    return [agent.systemMessage, toolPrompt(offered, format)].filter((part) => part !== '').join('\n\n')
  }

  if (known.size === 0) agent.enableMessage(orchestrationTools, { use: false, handle: true })
  agent.enableMessage((config.tools ?? []).filter((tool) => !known.has(tool.request)))
  return agent
}

function setMember(set: Set<string>, name: string, isMember: boolean): void {
  if (isMember) set.add(name)
  else set.delete(name)
}
