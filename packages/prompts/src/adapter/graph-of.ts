import { ClewlineError, isRecord } from '@clewline/core'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { StructuredTool } from '@langchain/core/tools'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import type { AgentMiddleware } from 'langchain'
import {
  outputToolName,
  resolveStrategy,
  schemaTitle,
  type OutputStrategy,
} from '../output/output-strategy.ts'
import { outputSchemaOf } from '../output/parse-output.ts'
import type { PromptTemplate } from '../prompt/prompt.ts'
import type { ThrottlePolicy } from '../throttle/retry-throttled.ts'
import { agentMiddleware, type ToolChoice } from './agent-middleware.ts'
import { completionMiddleware } from './completion-middleware.ts'
import { toLangChainTools } from './langchain-tools.ts'
import { limitedModel, policyFor } from './limited-model.ts'
import { loadChatModel, type ModelConfig } from './load-chat-model.ts'
import type { LangChain } from './load-langchain.ts'

/** A compiled graph, in this process or remote, as far as an evaluation needs it. */
export interface Graph {
  invoke(input: unknown, config?: object): Promise<unknown>
  stream?(input: unknown, config?: object): Promise<AsyncIterable<unknown>>
  getState?(config: { readonly configurable?: Record<string, unknown> }): Promise<object>
  getStateHistory?(config: { readonly configurable?: Record<string, unknown> }): AsyncIterable<object>
  updateState?(config: { readonly configurable?: Record<string, unknown> }, values: object): Promise<unknown>
  readonly nodes?: Readonly<Record<string, unknown>> | object
  readonly checkpointer?: BaseCheckpointSaver | boolean | undefined
}

interface GraphParts {
  /** The adapter's model with limits and patience; throws when the adapter has none. */
  readonly model: BaseChatModel
  readonly checkpointer: BaseCheckpointSaver | undefined
}

/** Builds a graph around the tools of a prompt. Called once for each prompt. */
export type GraphBuilder = (tools: StructuredTool[], parts: GraphParts) => Graph | Promise<Graph>

export interface GraphSettings {
  readonly model: string | BaseChatModel | undefined
  readonly modelConfig: ModelConfig
  readonly graph: Graph | GraphBuilder | undefined
  readonly checkpointer: BaseCheckpointSaver | undefined
  readonly middleware: readonly AgentMiddleware[]
  readonly toolChoice: ToolChoice
  readonly outputStrategy: OutputStrategy
  readonly repairs: number
  readonly reminders: number
  readonly throttle: ThrottlePolicy
}

/** The graph that evaluates a prompt: the one that was given, or an agent around the prompt. */
export async function graphOf(
  lc: LangChain,
  settings: GraphSettings,
  template: PromptTemplate,
): Promise<Graph> {
  const { graph } = settings
  if (graph === undefined) return agentOf(lc, settings, template)
  if (template.completion !== undefined)
    throw new ClewlineError(
      'unsupported',
      `"${template.name}" has a completion check, which a graph of your own cannot run.`,
      {
        hint: 'Leave out graph, so that the adapter uses its own agent, or check in a node of the graph.',
      },
    )
  if (typeof graph !== 'function') return asGraph(graph)
  const model =
    settings.model === undefined ? undefined : await loadChatModel(lc, settings.model, settings.modelConfig)
  const built = await graph(toLangChainTools(lc, template), {
    checkpointer: settings.checkpointer,
    get model() {
      if (model === undefined) throw missingModel()
      return limitedModel(lc, model, policyFor(model, settings.throttle))
    },
  })
  return asGraph(built)
}

function asGraph(graph: Graph): Graph {
  if (isRecord(graph) && typeof graph.invoke === 'function') return graph
  throw new ClewlineError('bad-config', 'The graph of the adapter is none.', {
    hint: 'Pass a compiled graph, or a function that returns one: new StateGraph(…)….compile().',
  })
}

async function agentOf(lc: LangChain, settings: GraphSettings, template: PromptTemplate): Promise<Graph> {
  if (settings.model === undefined) throw missingModel()
  const model = await loadChatModel(lc, settings.model, settings.modelConfig)
  const strategy = resolveStrategy(settings.outputStrategy, model)
  const tools = toLangChainTools(lc, template)
  if (template.output !== undefined && strategy === 'tool') tools.push(outputTool(lc, template))
  const { parallelToolCalls, stop, seed } = settings.modelConfig
  const middleware = agentMiddleware(lc, {
    tools,
    strategy,
    toolChoice: settings.toolChoice,
    repairs: settings.repairs,
    throttle: policyFor(model, settings.throttle),
    hasMiddleware: settings.middleware.length > 0,
    modelSettings: {
      ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
      ...(stop !== undefined && { stop }),
      ...(seed !== undefined && { seed }),
    },
  })
  const agent = lc.agents.createAgent({
    model,
    tools,
    middleware: [
      middleware,
      ...(template.completion === undefined ? [] : [completionMiddleware(lc, settings.reminders)]),
      ...settings.middleware,
    ],
    ...(settings.checkpointer !== undefined && { checkpointer: settings.checkpointer }),
  })
  return agent.graph
}

/** Never runs: the middleware takes the call out of the answer. */
function outputTool(lc: LangChain, template: PromptTemplate): StructuredTool {
  const { output, name } = template
  return lc.tools.tool(() => '', {
    name: outputToolName,
    description: 'Hands in the final output. Call it once, alone, when all other work is done.',
    schema: output === undefined ? {} : { ...outputSchemaOf(output, schemaTitle(name)) },
  })
}

function missingModel(): ClewlineError {
  return new ClewlineError('bad-config', 'The adapter has no model.', {
    hint: 'new LangGraphAdapter({ model: "gpt-5", modelConfig: { modelProvider: "openai" } }), or pass a chat model.',
  })
}
