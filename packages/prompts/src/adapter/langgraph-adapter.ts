import { ClewlineError } from '@clewline/core'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import type { AgentMiddleware } from 'langchain'
import { createBudgetTracker } from '../limits/budget-tracker.ts'
import { systemClock, type Clock } from '../limits/clock.ts'
import type { OutputStrategy } from '../output/output-strategy.ts'
import type { Adapter, EvaluateOptions, PromptStream } from '../prompt/adapter.ts'
import { VisibilityExpansionRequired } from '../prompt/open-sections.ts'
import type { Prompt, PromptTemplate } from '../prompt/prompt.ts'
import type { PromptResponse, ResumeToken } from '../result/prompt-response.ts'
import { complaintAbout, type Shape } from '../shape.ts'
import { defaultThrottlePolicy, type ThrottlePolicy } from '../throttle/retry-throttled.ts'
import type { Disclosure } from '../tool/tool-evaluation.ts'
import type { ToolChoice } from './agent-middleware.ts'
import { evaluatePrompt, type EvaluationRequest, type EvaluatorSettings } from './evaluate-prompt.ts'
import { graphOf, type Graph, type GraphBuilder } from './graph-of.ts'
import type { ModelConfig } from './load-chat-model.ts'
import { loadLangChain } from './load-langchain.ts'
import type { ClientConfig } from './run-graph.ts'
import { streamPrompt } from './stream-prompt.ts'

/** The model, the graph around it, and how output, tools and waiting are dealt with. */
export interface LangGraphAdapterOptions {
  /** A name, with or without provider, or a chat model. Set `maxRetries: 0` on a model you make: retries are ours. */
  readonly model?: string | BaseChatModel | undefined
  readonly modelConfig?: ModelConfig | undefined
  readonly clientConfig?: ClientConfig | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** A compiled graph, or a function that builds one around the tools of a prompt. Default: langchain's agent. */
  readonly graph?: Graph | GraphBuilder | undefined
  readonly outputStrategy?: OutputStrategy | undefined
  /** Turns to mend output that does not fit; default 1. */
  readonly repairs?: number | undefined
  /** Turns to finish what a prompt's `completion` finds unfinished; default 3. */
  readonly reminders?: number | undefined
  /** Needed for interrupts, approvals and `threadId`. */
  readonly checkpointer?: BaseCheckpointSaver | undefined
  /** Added inside of the adapter's own. */
  readonly middleware?: readonly AgentMiddleware[] | undefined
  readonly throttle?: Partial<ThrottlePolicy> | undefined
  /** `inline` (default) opens sections within the conversation, `restart` begins it again, `throw` leaves it to you. */
  readonly disclosure?: Disclosure | undefined
  readonly clock?: Clock | undefined
}

const adapterShape: Shape = {
  model: 'any?',
  modelConfig: 'object?',
  clientConfig: 'object?',
  toolChoice: 'any?',
  graph: 'any?',
  outputStrategy: 'text?',
  repairs: 'number?',
  reminders: 'number?',
  checkpointer: 'object?',
  middleware: 'list?',
  throttle: 'object?',
  disclosure: 'text?',
  clock: 'object?',
}

function assertChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value))
    throw new ClewlineError('bad-config', `The option "${name}" of an adapter cannot be "${value}".`, {
      hint: `Choose one of ${choices.join(', ')}.`,
    })
}

const settingsByAdapter = new WeakMap<LangGraphAdapter, EvaluatorSettings>()

/** For the source, which runs the adapter's graph in its own way. */
export function settingsOf(adapter: LangGraphAdapter): EvaluatorSettings {
  const settings = settingsByAdapter.get(adapter)
  if (settings === undefined) throw new TypeError('This is not a LangGraphAdapter.')
  return settings
}

/** Evaluates prompts with LangGraph. It holds no state of a run: one adapter serves any number at once. */
export class LangGraphAdapter implements Adapter {
  readonly name = 'langgraph'
  readonly #settings: EvaluatorSettings

  constructor(options: LangGraphAdapterOptions) {
    const complaint = complaintAbout('an adapter', options, adapterShape)
    if (complaint !== undefined) throw new ClewlineError('bad-config', complaint.message, complaint)
    assertChoice('outputStrategy', options.outputStrategy, ['auto', 'provider', 'tool', 'text'])
    assertChoice('disclosure', options.disclosure, ['inline', 'restart', 'throw'])
    const graphs = new WeakMap<PromptTemplate, Promise<Graph>>()
    const settings = {
      model: options.model,
      modelConfig: options.modelConfig ?? {},
      graph: options.graph,
      checkpointer: options.checkpointer,
      middleware: options.middleware ?? [],
      toolChoice: options.toolChoice ?? 'auto',
      outputStrategy: options.outputStrategy ?? 'auto',
      repairs: options.repairs ?? 1,
      reminders: options.reminders ?? 3,
      throttle: { ...defaultThrottlePolicy, ...options.throttle },
    } as const
    this.#settings = {
      adapter: this,
      clock: options.clock ?? systemClock,
      disclosure: options.disclosure ?? 'inline',
      client: options.clientConfig ?? {},
      checkpointer: options.checkpointer,
      foreign: options.graph !== undefined,
      hasMiddleware: settings.middleware.length > 0,
      graphFor(template) {
        const known = graphs.get(template)
        if (known !== undefined) return known
        const graph = loadLangChain().then((lc) => graphOf(lc, settings, template))
        graph.catch(() => graphs.delete(template))
        graphs.set(template, graph)
        return graph
      },
    }
    settingsByAdapter.set(this, this.#settings)
  }

  /** Runs to a response or an interrupt; rejects with a `PromptEvaluationError`, or the reason of `options.signal`. */
  async evaluate<P, O>(prompt: Prompt<P, O>, options: EvaluateOptions): Promise<PromptResponse<O>> {
    return this.#run({ prompt, options, streaming: false, tell: () => undefined })
  }

  /** Eager: the evaluation runs at once, and the stream says what happens meanwhile. */
  stream<P, O>(prompt: Prompt<P, O>, options: EvaluateOptions): PromptStream<O> {
    return streamPrompt((tell, left) => {
      const given = options?.signal
      const signal = given === undefined ? left : AbortSignal.any([left, given])
      return this.#run({ prompt, options: { ...options, signal }, streaming: true, tell })
    })
  }

  async resume<P, O>(
    prompt: Prompt<P, O>,
    token: ResumeToken,
    decision: unknown,
    options: EvaluateOptions,
  ): Promise<PromptResponse<O>> {
    const resume = { token, decision }
    return this.#run({ prompt, options, resume, streaming: false, tell: () => undefined })
  }

  /** Restarts for opened sections, with the same session and one budget for all rounds. */
  async #run<P, O>(request: EvaluationRequest<P, O>): Promise<PromptResponse<O>> {
    if (this.#settings.disclosure !== 'restart') return evaluatePrompt(this.#settings, request)
    const { budget, ...options } = request.options
    const budgetTracker =
      options.budgetTracker ?? (budget === undefined ? undefined : createBudgetTracker(budget))
    let round = { ...request, options: { ...options, ...(budgetTracker !== undefined && { budgetTracker }) } }
    while (true) {
      try {
        return await evaluatePrompt(this.#settings, round)
      } catch (error) {
        if (!(error instanceof VisibilityExpansionRequired)) throw error
        const visibility = { ...round.options.visibility, ...error.overrides }
        const { resume: _, ...again } = round
        round = { ...again, options: { ...again.options, visibility } }
      }
    }
  }
}
