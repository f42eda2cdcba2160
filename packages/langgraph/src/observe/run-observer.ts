import { isRecord } from '@clewline/core'
import type { Serialized } from '@langchain/core/load/serializable'
import type { BaseMessage } from '@langchain/core/messages'
import type { LLMResult } from '@langchain/core/outputs'
import { GraphCallbackHandler, type GraphInterruptEvent, type GraphResumeEvent } from '@langchain/langgraph'
import { resumeCall } from './begin-call.ts'
import { scopeFor } from './calls.ts'
import { emitWarning, emitWritten } from './emit-update.ts'
import { errorOf } from './failure.ts'
import { graphCalls } from './graph-calls.ts'
import { modelCalls } from './model-calls.ts'
import type { ObservedRun } from './observed-run.ts'
import { toolCalls } from './tool-calls.ts'

type Metadata = Record<string, unknown>

/**
 * LangChain's callbacks, in the order of arguments in which they really come (core 1.2.13 passes the parent's id to
 * `handleChainStart` where its types say `runType`), as calls of the run that is observed.
 */
export class RunObserver extends GraphCallbackHandler {
  override name = 'ClewlineObserver'
  /** Backpressure: the run waits for us, and nothing is lost when a graph throws. */
  override awaitHandlers = true
  /** Makes `model.invoke()` in a node stream. */
  readonly lc_prefer_streaming = true
  /** What the root graph waits for, once it has paused. */
  paused: GraphInterruptEvent | null = null
  readonly #run: ObservedRun
  readonly #graphs
  readonly #tools
  readonly #models

  constructor(run: ObservedRun) {
    super()
    this.#run = run
    this.#graphs = graphCalls(run)
    this.#tools = toolCalls(run, this.#graphs.outputOf)
    this.#models = modelCalls(run)
  }

  override handleChainStart(
    chain: Serialized,
    input: unknown,
    id: string,
    parentId?: string,
    tags?: string[],
    metadata?: Metadata,
    _runType?: string,
    runName?: string,
  ): Promise<void> {
    const classPath = chain?.id ?? []
    const name = runName ?? classPath.at(-1) ?? 'chain'
    const isHidden = tags?.includes('langsmith:hidden') === true
    const run = { id, parentId, name, input, classPath, isHidden, metadata: metadata ?? {} }
    return this.#guard(this.#graphs.start(run))
  }

  override handleChainEnd(output: unknown, id: string): Promise<void> {
    return this.#guard(this.#graphs.end(id, output))
  }

  override handleChainError(error: unknown, id: string): Promise<void> {
    return this.#guard(this.#graphs.fail(id, error))
  }

  override handleToolStart(
    tool: Serialized,
    input: string,
    id: string,
    parentId?: string,
    _tags?: string[],
    _metadata?: Metadata,
    runName?: string,
    toolCallId?: string,
  ): Promise<void> {
    const name = runName ?? tool?.id?.at(-1) ?? 'tool'
    return this.#guard(this.#tools.start({ id, parentId, name, input, toolCallId }))
  }

  override handleToolEvent(chunk: unknown, id: string): Promise<void> {
    return this.#guard(this.#tools.update(id, chunk))
  }

  override handleToolEnd(output: unknown, id: string): Promise<void> {
    return this.#guard(this.#tools.end(id, output))
  }

  override handleToolError(error: unknown, id: string): Promise<void> {
    return this.#guard(this.#tools.fail(id, error))
  }

  /** A retriever is a tool that code calls: its query goes in, its documents come out. */
  override handleRetrieverStart(
    retriever: Serialized,
    query: string,
    id: string,
    parentId?: string,
    _tags?: string[],
    _metadata?: Metadata,
    runName?: string,
  ): Promise<void> {
    const name = runName ?? retriever?.id?.at(-1) ?? 'retriever'
    const input = JSON.stringify({ query })
    return this.#guard(this.#tools.start({ id, parentId, name, input, toolCallId: undefined }))
  }

  override handleRetrieverEnd(documents: unknown[], id: string): Promise<void> {
    return this.#guard(this.#tools.end(id, documents))
  }

  override handleRetrieverError(error: unknown, id: string): Promise<void> {
    return this.#guard(this.#tools.fail(id, error))
  }

  override handleChatModelStart(
    model: Serialized,
    messages: BaseMessage[][],
    id: string,
    parentId?: string,
    extra?: Metadata,
    _tags?: string[],
    metadata?: Metadata,
  ): Promise<void> {
    const [prompt = []] = messages
    return this.#startModel(model, { prompt: prompt.at(-1), messages: prompt }, id, parentId, extra, metadata)
  }

  override handleLLMStart(
    model: Serialized,
    prompts: string[],
    id: string,
    parentId?: string,
    extra?: Metadata,
    _tags?: string[],
    metadata?: Metadata,
  ): Promise<void> {
    const [prompt = ''] = prompts
    return this.#startModel(model, { prompt, messages: [prompt] }, id, parentId, extra, metadata)
  }

  override handleLLMNewToken(
    token: string,
    _at: { prompt: number; completion: number },
    id: string,
    _parentId?: string,
    _tags?: string[],
    fields?: { chunk?: unknown },
  ): void | Promise<void> {
    const chunk = fields?.chunk
    try {
      const piece = isRecord(chunk) && 'message' in chunk ? chunk['message'] : { content: token }
      return this.#models.stream(id, piece, logprobOf(chunk))
    } catch (error) {
      return this.#guard(Promise.reject(error))
    }
  }

  override handleLLMEnd(output: LLMResult, id: string): Promise<void> {
    const generation = output.generations[0]?.[0]
    const message = generation !== undefined && 'message' in generation ? generation.message : undefined
    const text = generation?.text ?? ''
    return this.#guard(this.#models.end(id, message, { text, usage: output.llmOutput?.['tokenUsage'] }))
  }

  override handleLLMError(error: unknown, id: string): Promise<void> {
    return this.#guard(this.#models.fail(id, error))
  }

  override handleCustomEvent(event: string, data: unknown, id: string): Promise<void> {
    const scope = scopeFor(this.#run.calls, id)
    return this.#guard(emitWritten(this.#run, scope, isOurs(data) ? data : { event, data }))
  }

  override handleInterrupt(event: GraphInterruptEvent): void {
    this.paused = event
  }

  override handleResume(event: GraphResumeEvent): Promise<void> {
    const scope = event.runId === undefined ? undefined : this.#run.calls.scopes.get(event.runId)
    if (scope === undefined) return Promise.resolve()
    return this.#guard(resumeCall(this.#run, scope.call, event.checkpointId))
  }

  #startModel(
    model: Serialized,
    { prompt, messages }: { prompt: unknown; messages: readonly unknown[] },
    id: string,
    parentId: string | undefined,
    extra: Metadata | undefined,
    metadata: Metadata | undefined,
  ): Promise<void> {
    const name = model?.id?.at(-1) ?? 'model'
    const asked = {
      messages,
      params: recordOr(extra?.['invocation_params']),
      options: recordOr(extra?.['options']),
      isStreamed: isStreamed(model),
    }
    return this.#guard(this.#models.start({ id, parentId, name, prompt, asked, metadata: metadata ?? {} }))
  }

  /** Isolation: an observer must not break what it observes, so what goes wrong here becomes a warning. */
  async #guard(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      const message = `An event of LangGraph could not be read: ${errorOf(error).message}`
      await emitWarning(this.#run, this.#run.calls.root, { code: 'unreadable-event', message })
    }
  }
}

const recordOr = (value: unknown): Metadata => (isRecord(value) ? value : {})

/** We make each call stream whose model can and may. `streaming: false` forbids it for ChatOpenAI and its kin. */
function isStreamed(model: Serialized): boolean {
  const settings = recordOr('kwargs' in model ? model.kwargs : undefined)
  return settings['disable_streaming'] !== true && settings['streaming'] !== false
}

const isOurs = (data: unknown): boolean => isRecord(data) && 'clewline' in data

function logprobOf(chunk: unknown): number | undefined {
  if (!isRecord(chunk) || !isRecord(chunk['generationInfo'])) return undefined
  const { logprobs } = chunk['generationInfo']
  if (!isRecord(logprobs) || !Array.isArray(logprobs['content'])) return undefined
  const first: unknown = logprobs['content'][0]
  return isRecord(first) && typeof first['logprob'] === 'number' ? first['logprob'] : undefined
}
