import { ClewlineError } from '@clewline/core'
import { unansweredCalls, type LLMMessage } from '../llm-message.ts'
import { callIds } from './call-ids.ts'
import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import { combineResults, documentOf } from './handler-result.ts'
import { historyEntries } from './history-entries.ts'
import type { LanguageModel } from './language-model.ts'
import { modelTurn, type TurnObserver } from './model-turn.ts'
import { orchestration } from './orchestration.ts'
import type { HandlerResult, HandlerUpdate, ToolMessage } from './tool-message.ts'
import { toolPrompt } from './tool-prompt.ts'

export interface ChatAgentConfig {
  readonly name?: string
  readonly description?: string
  readonly model: LanguageModel
  readonly systemMessage?: string
  /** Enabled for use and, when they have a handler, for handling. */
  readonly tools?: readonly ToolMessage[]
  /** `api`: the model's own tool calls (the default). `text`: JSON in the answer, for models that have none. */
  readonly toolFormat?: 'api' | 'text'
  /** In a task: what the agent answers when the model used no tool. */
  readonly handleNoTool?: NoToolAction
}

type NoToolAction = 'done' | 'forward-user' | ((document: ChatDocument) => HandlerResult)

/** A model with a memory and tools. Knowing a tool, using it and handling it are three different things. */
export interface ChatAgent {
  readonly kind: 'chat-agent'
  readonly name: string
  readonly description: string
  readonly model: LanguageModel
  readonly toolFormat: 'api' | 'text'
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
  readonly onTool?: ToolObserver
}

interface HandleOptions {
  readonly signal?: AbortSignal
  readonly document?: ChatDocument
  readonly onTool?: ToolObserver
}

/** Sees handlers at work. */
export type ToolObserver = (use: ToolUse, event: ToolEvent) => void | Promise<void>

type ToolEvent =
  | { readonly type: 'start' }
  | ({ readonly type: 'update' } & HandlerUpdate)
  | { readonly type: 'result'; readonly content: string; readonly error: string | null }

const orchestrationTools = Object.values(orchestration)
const orchestrationNames = new Set(orchestrationTools.map((tool) => tool.request))
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

  const agent: ChatAgent = {
    kind: 'chat-agent',
    name: config.name ?? 'agent',
    description: config.description ?? '',
    model: config.model,
    toolFormat: format,
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
        if (document.tools.some((use) => handled.has(use.name))) return null
        const isAnswer = unansweredCalls(agent.messageHistory).length > 0
        if (document.content === '' && document.results.length === 0 && !isAnswer) return null
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
          model: config.model,
          messages: [{ role: 'system', content: systemText(offered) }, ...agent.messageHistory],
          specs: offered.map((tool) => ({
            name: tool.request,
            description: tool.purpose,
            parameters: tool.parameters,
          })),
          box: { known: new Map([...known, ...extra.map((tool) => [tool.request, tool] as const)]), handled },
          format,
          uniqueId,
          signal: options.signal ?? NEVER,
          observe: options.observe ?? (() => {}),
        })
        agent.messageHistory.push(said.message)
        return said.document
      } catch (error) {
        // What the model did not answer was not said: a later call must not find half an exchange.
        agent.messageHistory.length = before
        throw error
      }
    },

    async agentResponse(message, options = {}) {
      const broken = message.tools.find((use) => use.error !== undefined && handled.has(use.name))
      const mine = message.tools.filter((use) => mayHandle(use, message))
      const handle = { ...options, document: message }
      if (broken?.error !== undefined) {
        await options.onTool?.(broken, { type: 'start' })
        await options.onTool?.(broken, { type: 'result', content: broken.error, error: broken.error })
        return combineResults([{ use: broken, document: textDocument(broken.error) }])
      }
      if (mine.length === 0) return noTool(message)
      if (mine.length > 1 && mine.some((use) => orchestrationNames.has(use.name))) {
        return combineResults(
          mine.map((use) => ({ use, document: textDocument('ERROR: Use ONE tool at a time!') })),
        )
      }
      const answers = []
      for (const use of mine) answers.push({ use, document: await agent.handleTool(use, handle) })
      return combineResults(answers)
    },

    async handleTool(use, options = {}) {
      const parsed = known.get(use.name)?.parse(use.args)
      if (!handled.has(use.name) || parsed === undefined || !parsed.ok) {
        throw new ClewlineError('bad-request', `The tool "${use.name}" is not enabled for handling.`, {
          hint: `Handled tools: ${[...handled].join(', ')}.`,
        })
      }
      const { onTool } = options
      await onTool?.(use, { type: 'start' })
      try {
        const result = await parsed.handle({
          tool_call_id: use.id,
          document: options.document,
          signal: options.signal ?? NEVER,
          update: (update) => onTool?.(use, { type: 'update', ...update }),
        })
        const document = documentOf(result)
        await onTool?.(use, { type: 'result', content: document?.content ?? '', error: null })
        return document
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error)
        await onTool?.(use, { type: 'result', content: `Tool "${use.name}" failed: ${words}`, error: words })
        throw error
      }
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

  function mayHandle(use: ToolUse, document: ChatDocument): boolean {
    if (!handled.has(use.name) || use.error !== undefined) return false
    const recipient = use.args['recipient']
    if (typeof recipient === 'string' && recipient !== '' && recipient !== agent.name) return false
    return !document.tainted || usable.has(use.name)
  }

  async function noTool(message: ChatDocument): Promise<ChatDocument | null> {
    const action = config.handleNoTool
    if (message.sender !== 'LLM' || message.tools.length > 0 || action === undefined) return null
    if (action === 'done') {
      return chatDocument({
        sender: 'Agent',
        content: message.content,
        signal: { kind: 'done', content: message.content, tools: message.tools },
      })
    }
    if (action === 'forward-user') {
      return chatDocument({ sender: 'Agent', content: message.content, recipient: 'User' })
    }
    return documentOf(await action(message))
  }

  if (known.size === 0) agent.enableMessage(orchestrationTools, { use: false, handle: true })
  agent.enableMessage((config.tools ?? []).filter((tool) => !known.has(tool.request)))
  return agent
}

function textDocument(content: string): ChatDocument {
  return chatDocument({ sender: 'Agent', content })
}

function setMember(set: Set<string>, name: string, isMember: boolean): void {
  if (isMember) set.add(name)
  else set.delete(name)
}
