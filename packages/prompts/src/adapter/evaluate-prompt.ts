import { ClewlineError } from '@clewline/core'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import type { Clock } from '../limits/clock.ts'
import { PromptEvaluationError } from '../limits/prompt-evaluation-error.ts'
import { parseOutput, readOutput } from '../output/parse-output.ts'
import type { Adapter, EvaluateOptions, StreamPart } from '../prompt/adapter.ts'
import { VisibilityExpansionRequired } from '../prompt/open-sections.ts'
import type { Prompt, PromptTemplate } from '../prompt/prompt.ts'
import type { PromptResponse, ResumeToken } from '../result/prompt-response.ts'
import { Handoff } from '../tool/handoff.ts'
import type { Disclosure } from '../tool/tool-evaluation.ts'
import { assertRequest, assertToken } from './assert-request.ts'
import { assertWaiting } from './assert-waiting.ts'
import { evaluationError } from './evaluation-error.ts'
import { createEvaluation, type Evaluation } from './evaluation.ts'
import { finalText, usageInState } from './final-answer.ts'
import type { Graph } from './graph-of.ts'
import { loadLangChain, type LangChain } from './load-langchain.ts'
import {
  assertBreakpoints,
  canPause,
  placeOf,
  resumeInput,
  runGraph,
  type ClientConfig,
  type GraphHost,
  type GraphResult,
} from './run-graph.ts'

/** What an adapter brings to each of its evaluations. */
export interface EvaluatorSettings {
  readonly adapter: Adapter
  readonly clock: Clock
  readonly disclosure: Disclosure
  readonly client: ClientConfig
  readonly checkpointer: BaseCheckpointSaver | undefined
  /** True when the graph is not ours: the rendered prompt is then the first message of its input. */
  readonly foreign: boolean
  readonly hasMiddleware: boolean
  graphFor(template: PromptTemplate): Promise<Graph>
}

export interface EvaluationRequest<P, O> {
  readonly prompt: Prompt<P, O>
  readonly options: EvaluateOptions
  /** Goes on from here instead of starting. */
  readonly resume?: { readonly token: ResumeToken; readonly decision: unknown }
  readonly streaming: boolean
  readonly host?: GraphHost
  tell(part: StreamPart<never>): void
}

const defaultInput = 'Carry out the task that your instructions describe.'

/** One evaluation from start, or resume, to response. */
export async function evaluatePrompt<P, O>(
  settings: EvaluatorSettings,
  request: EvaluationRequest<P, O>,
): Promise<PromptResponse<O>> {
  const { prompt, options, resume, host } = request
  assertRequest(prompt, options)
  const token = resume?.token
  if (resume !== undefined) assertToken(resume.token, prompt)
  const lc = await loadLangChain()
  const graph = await settings.graphFor(prompt.template)
  const checkpointer = host?.checkpointer ?? settings.checkpointer
  const pausable = canPause(graph, checkpointer)
  assertBreakpoints(graph, settings.client, pausable)
  if (options.threadId !== undefined && !pausable && !settings.foreign)
    throw new ClewlineError('bad-config', 'A conversation that goes on (threadId) needs a checkpointer.', {
      hint: 'Give the adapter one: checkpointer: new MemorySaver().',
    })
  const evaluation = createEvaluation(lc, {
    adapter: settings.adapter,
    prompt,
    options,
    token,
    clock: settings.clock,
    disclosure: settings.disclosure,
    disclosesInAnswer: settings.foreign,
    canPause: pausable,
    countsByCallback: settings.foreign || settings.hasMiddleware || request.streaming,
    tell: (part) => request.tell(part),
  })
  const threadId = token?.threadId ?? options.threadId ?? `${options.session.id}:${evaluation.id}`
  try {
    evaluation.checkBefore('model')
    const { client } = settings
    const run = { graph, client, checkpointer, threadId, streaming: request.streaming, host }
    // A host binds answers to their questions itself.
    if (token !== undefined && host === undefined)
      await assertWaiting(graph, token, { configurable: placeOf(run) })
    const input = inputOf(lc, settings, evaluation, request)
    const result = await runGraph(lc, evaluation, run, input)
    evaluation.signal.throwIfAborted()
    const response = await respond<P, O>(prompt, evaluation, result, threadId)
    if (response.status === 'completed' && options.threadId === undefined)
      // Its id was never given out, so no caller can continue this conversation.
      await checkpointer?.deleteThread(threadId)
    return response
  } catch (error) {
    const failure = evaluationError(error, evaluation)
    if (!isControl(failure))
      evaluation.emit({ type: 'PromptFailed', error: failure, usage: evaluation.usage })
    throw failure
  } finally {
    evaluation.end()
  }
}

/** Thrown to steer, not to fail. */
function isControl(error: unknown): boolean {
  if (error instanceof VisibilityExpansionRequired || error instanceof Handoff) return true
  return error instanceof Error && error.name === 'GraphDrained'
}

function inputOf<P, O>(
  lc: LangChain,
  settings: EvaluatorSettings,
  evaluation: Evaluation,
  { host, resume, options }: EvaluationRequest<P, O>,
): unknown {
  if (host?.continuation !== undefined) return host.continuation.input
  return resume === undefined
    ? start(lc, settings, evaluation, options)
    : resumeInput(lc, resume.token, resume.decision)
}

/** Renders the prompt, emits that, and makes the input of the graph. */
function start(
  lc: LangChain,
  settings: EvaluatorSettings,
  evaluation: Evaluation,
  options: EvaluateOptions,
): unknown {
  const { prompt } = evaluation
  const rendered = evaluation.render()
  evaluation.emit({
    type: 'PromptRendered',
    ns: prompt.template.ns,
    key: prompt.template.key,
    params: prompt.params,
    text: rendered.text,
    tools: rendered.tools.map((tool) => tool.name),
  })
  const { input = defaultInput } = options
  const turn = typeof input === 'string' ? [new lc.messages.HumanMessage(input)] : [...input]
  // With a fixed id it replaces the instructions of an earlier turn of the same conversation.
  const system = new lc.messages.SystemMessage({ content: rendered.text, id: 'clewline-instructions' })
  return { messages: settings.foreign ? [system, ...turn] : turn }
}

async function respond<P, O>(
  prompt: Prompt<P, O>,
  evaluation: Evaluation,
  result: GraphResult,
  threadId: string,
): Promise<PromptResponse<O>> {
  const promptName = prompt.name
  if (result.status === 'interrupted') {
    const { interrupts, next, checkpointId } = result
    evaluation.emit({ type: 'Interrupted', interrupts })
    const resumeToken: ResumeToken = {
      version: 1,
      threadId,
      evaluationId: evaluation.id,
      prompt: { ns: prompt.template.ns, key: prompt.template.key, hash: prompt.template.hash },
      interrupts: interrupts.map((each) => each.id),
      ...(checkpointId !== undefined && { checkpointId }),
      visibility: evaluation.visibility,
      usage: evaluation.usage,
      steps: evaluation.modelCalls,
      settled: [...evaluation.settled.values()],
    }
    return { status: 'interrupted', promptName, interrupts, next, usage: evaluation.usage, resumeToken }
  }
  if (evaluation.modelCalls === 0)
    usageInState(result.state).forEach((usage) => evaluation.recordModelCall(usage))
  evaluation.signal.throwIfAborted()
  const text = finalText(result.state)
  const output = await outputOf(evaluation, result.state, text)
  const { usage } = evaluation
  const response: PromptResponse<O> = {
    status: 'completed',
    promptName,
    text: prompt.template.output === undefined ? text : null,
    // The template pairs the schema that was just applied with this type.
    output: output as O,
    usage,
    steps: evaluation.modelCalls,
  }
  evaluation.emit({ type: 'PromptExecuted', response, usage }).throwIfErrors()
  return response
}

async function outputOf(
  evaluation: Evaluation,
  state: Readonly<Record<string, unknown>>,
  text: string,
): Promise<unknown> {
  const spec = evaluation.prompt.template.output
  if (spec === undefined) return undefined
  const structured = state['structuredResponse']
  const checked =
    structured === undefined ? await parseOutput(spec, text) : await readOutput(spec, structured)
  if (!checked.ok)
    throw new PromptEvaluationError(`The output does not fit: ${checked.message}.`, {
      promptName: evaluation.prompt.name,
      phase: 'response',
      providerPayload: structured ?? text,
    })
  evaluation.session.collect(spec.schema, Array.isArray(checked.value) ? checked.value : [checked.value])
  return checked.value
}
