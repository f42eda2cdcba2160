import type { AIMessage, ToolMessage } from '@langchain/core/messages'
import type { Command } from '@langchain/langgraph'
import type { StructuredTool } from '@langchain/core/tools'
import {
  outputToolName,
  providerSettings,
  schemaTitle,
  textInstructions,
  type OutputStrategy,
} from '../output/output-strategy.ts'
import type { ThrottlePolicy } from '../throttle/retry-throttled.ts'
import { runTool } from '../tool/run-tool.ts'
import { currentEvaluation, type Evaluation } from './evaluation.ts'
import { toolHost } from './langchain-tools.ts'
import { patiently } from './limited-model.ts'
import type { LangChain } from './load-langchain.ts'
import { repairToolCalls } from './repair-tool-calls.ts'
import { settleOutput } from './settle-output.ts'
import { usageOfMessage } from './usage-handler.ts'

/** `auto`, `none`, `required`, or one tool by name. Forced choices hold for the first model call only. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly type: 'function'; readonly name: string }

export interface MiddlewareSettings {
  readonly tools: readonly StructuredTool[]
  readonly toolChoice: ToolChoice
  readonly modelSettings: Readonly<Record<string, unknown>>
  readonly strategy: Exclude<OutputStrategy, 'auto'>
  readonly repairs: number
  readonly throttle: ThrottlePolicy
  readonly hasMiddleware: boolean
}

/**
 * All that an evaluation adds to `createAgent`. It wraps calls and has no before or after hooks: those are nodes of
 * the graph and would eat into the recursion limit.
 */
export function agentMiddleware(lc: LangChain, settings: MiddlewareSettings) {
  const host = toolHost(lc)
  const ours = new Set(settings.tools.map((tool) => tool.name))
  const { parallel_tool_calls: parallel, ...modelSettings } = settings.modelSettings
  return lc.agents.createMiddleware({
    name: 'clewline-prompts',
    async wrapModelCall(request, handler) {
      const evaluation = present(lc)
      const rendered = evaluation.render()
      const { output } = rendered
      const visible = new Set(rendered.tools.map((tool) => tool.name))
      if (output !== undefined && settings.strategy === 'tool') visible.add(outputToolName)
      const tools = request.tools.filter(
        (tool) => !ours.has(String(tool.name)) || visible.has(String(tool.name)),
      )
      const title = schemaTitle(evaluation.prompt.name)
      const textual = output !== undefined && settings.strategy === 'text'
      const native = output !== undefined && settings.strategy === 'provider'

      const call = async (messages: typeof request.messages): Promise<AIMessage> => {
        const toolChoice = choose(settings, evaluation, tools.length, output !== undefined)
        const answer = await patiently(lc, settings.throttle, async () =>
          handler({
            ...request,
            messages,
            tools,
            systemPrompt: textual ? `${rendered.text}\n\n${textInstructions(output, title)}` : rendered.text,
            modelSettings: {
              ...request.modelSettings,
              ...modelSettings,
              // OpenAI refuses this without tools.
              ...(parallel !== undefined && tools.length > 0 && { parallel_tool_calls: parallel }),
              ...(native && providerSettings(output, title)),
            },
            ...(toolChoice !== undefined && { toolChoice }),
          }),
        )
        if (!evaluation.countsByCallback) evaluation.recordModelCall(usageOfMessage(answer))
        evaluation.signal.throwIfAborted()
        return repairToolCalls(lc, evaluation, answer)
      }

      evaluation.settled.clear()
      const first = await call(request.messages)
      const answer =
        output === undefined
          ? first
          : await settleOutput(lc, first, {
              spec: output,
              promptName: evaluation.prompt.name,
              repairs: settings.repairs,
              askAgain: (added) => call([...request.messages, ...added]),
            })
      evaluation.order.announce((answer.tool_calls ?? []).flatMap((each) => each.id ?? []))
      return answer
    },
    async wrapToolCall(request, handler) {
      if (request.tool !== undefined) return handler(request)
      const { id = '', name, args } = request.toolCall
      // Middleware of the user may bring tools that are not registered.
      const answer = settings.hasMiddleware ? await handler(request) : undefined
      if (answer !== undefined && !isUnknownTool(answer, name)) return answer
      const { content, status } = await runTool(present(lc), { id, name, args }, host)
      return new lc.messages.ToolMessage({ content, status, name, tool_call_id: id })
    },
  })
}

/** How langchain's tool node answers a call of an unknown tool. */
function isUnknownTool(answer: ToolMessage | Command, name: string): boolean {
  return (
    'status' in answer &&
    answer.status === 'error' &&
    answer.text.startsWith(`Error: ${name} is not a valid tool`)
  )
}

function present(lc: LangChain): Evaluation {
  const evaluation = currentEvaluation(lc)
  if (evaluation === undefined)
    throw new Error('This agent belongs to an adapter: run it through adapter.evaluate().')
  return evaluation
}

function choose(settings: MiddlewareSettings, evaluation: Evaluation, tools: number, wantsOutput: boolean) {
  const { toolChoice, strategy } = settings
  if (tools === 0) return undefined
  if (toolChoice === 'none') return 'none' as const
  if (evaluation.modelCalls === 0 && typeof toolChoice === 'object')
    return { type: 'function' as const, function: { name: toolChoice.name } }
  if (evaluation.modelCalls === 0 && toolChoice === 'required') return 'required' as const
  return wantsOutput && strategy === 'tool' ? ('required' as const) : undefined
}
