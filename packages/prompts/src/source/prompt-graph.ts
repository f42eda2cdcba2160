import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint'
import { ClewlineError, createQueue, isRecord } from '@clewline/core'
import type { RunContext } from '@clewline/core/source'
import type { Graph as ObservableGraph } from '@clewline/langgraph'
import type { EvaluateOptions } from '../prompt/adapter.ts'
import type { PromptResponse, ResumeToken } from '../result/prompt-response.ts'
import { evaluatePrompt } from '../adapter/evaluate-prompt.ts'
import type { Graph } from '../adapter/graph-of.ts'
import { settingsOf, type LangGraphAdapter } from '../adapter/langgraph-adapter.ts'
import { createBudgetTracker } from '../limits/budget-tracker.ts'
import type { Budget } from '../limits/budget.ts'
import { Deadline } from '../limits/deadline.ts'
import type { Prompt, PromptTemplate } from '../prompt/prompt.ts'
import type { Session } from '../session/session.ts'
import { emitLimits } from './emit-limits.ts'
import { threadMemory } from './thread-memory.ts'

export interface PromptThread {
  readonly adapter: LangGraphAdapter
  readonly prompt: Prompt | PromptTemplate
  readonly name: string
  readonly saver: BaseCheckpointSaver
  readonly threadId: string
  readonly session: Session
  readonly budget?: Budget
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  emit: RunContext['emit']
}

/**
 * The graph that a prompt is evaluated by, with the evaluation around it: a caller that streams it, and watches it by
 * callbacks, gets limits, tools and session too.
 */
export async function promptGraph(thread: PromptThread): Promise<ObservableGraph> {
  const { adapter, prompt, saver } = thread
  const graph = await settingsOf(adapter).graphFor('template' in prompt ? prompt.template : prompt)
  if (!isObservable(graph))
    throw new ClewlineError('unsupported', 'The graph of this adapter cannot be watched.', {
      hint: 'Give the adapter a compiled graph of LangGraph, or none.',
    })
  return {
    name: thread.name,
    checkpointer: saver,
    async stream(input, config) {
      const chunks = createQueue<unknown>(Infinity)
      const push = (chunk: unknown): void => void chunks.push(chunk)
      evaluateWatched(thread, input, { ...config }, push).then(chunks.close, chunks.fail)
      return chunks
    },
    getState: (config) => graph.getState(config),
    getStateHistory: (config, options) => graph.getStateHistory(config, options),
    updateState: (config, values) => graph.updateState(config, values),
  }
}

const isObservable = (graph: object): graph is ObservableGraph =>
  ['stream', 'getState', 'getStateHistory', 'updateState'].every((method) => method in graph)

async function evaluateWatched(
  thread: PromptThread,
  input: unknown,
  watching: Readonly<Record<string, unknown>>,
  push: (chunk: unknown) => void,
): Promise<void> {
  const { adapter, name, saver, session, threadId } = thread
  const kept = await threadMemory(saver, threadId)
  const { memory } = kept
  if (memory !== undefined) session.restore(memory.session)
  const isNew = isInput(input)
  const params = isNew ? paramsOf(input) : memory?.params
  const prompt = 'template' in thread.prompt ? thread.prompt : thread.prompt.bind(params)
  const token = isNew ? undefined : tokenFor(prompt, memory?.token)

  const tracker = thread.budget === undefined ? undefined : createBudgetTracker(thread.budget)
  if (token !== undefined) tracker?.add(token.evaluationId, token.usage)
  const deadline = thread.deadlineMs === undefined ? undefined : Deadline.after(thread.deadlineMs)
  const limits = emitLimits(name, session, tracker, thread.emit)
  const remember = (next?: ResumeToken) =>
    kept.save({ params, session: session.snapshot(), ...(next !== undefined && { token: next }) })

  const options: EvaluateOptions = {
    session,
    threadId,
    ...turnOf(input),
    ...(thread.signal !== undefined && { signal: thread.signal }),
    ...(tracker !== undefined && { budgetTracker: tracker }),
    ...(deadline !== undefined && { deadline }),
  }
  try {
    const response: PromptResponse<unknown> = await evaluatePrompt(settingsOf(adapter), {
      prompt,
      options,
      ...(token !== undefined && { resume: { token, decision: undefined } }),
      streaming: false,
      tell: () => undefined,
      host: {
        checkpointer: saver,
        continuation: isNew ? undefined : { input },
        run: (graph, graphInput, own) =>
          runWatched(graph, graphInput, merge(own, watching), async (chunk) => {
            push(chunk)
            await remember(token)
          }),
      },
    })
    await remember(response.status === 'interrupted' ? response.resumeToken : undefined)
  } catch (error) {
    await remember(token)
    throw error
  } finally {
    deadline?.[Symbol.dispose]()
    await limits.end()
  }
}

/** Streams instead of invoking, and resolves with the state that `invoke` would have. */
async function runWatched(
  graph: Graph,
  input: unknown,
  config: Record<string, unknown> & { readonly configurable: Record<string, unknown> },
  onChunk: (chunk: unknown) => Promise<void>,
): Promise<unknown> {
  for await (const chunk of (await graph.stream?.(input, config)) ?? []) await onChunk(chunk)
  const state: unknown = await graph.getState?.({ configurable: config.configurable })
  if (!isRecord(state)) return {}
  const values = isRecord(state['values']) ? state['values'] : {}
  const { next, tasks } = state
  if (!Array.isArray(next) || next.length === 0) return values
  const asked = (Array.isArray(tasks) ? tasks : []).flatMap(
    (task: { interrupts?: unknown[] }) => task.interrupts ?? [],
  )
  return { ...values, __interrupt__: asked }
}

/** What the evaluation needs, and whatever those who watch have added. */
function merge(own: Readonly<Record<string, unknown>>, watching: Readonly<Record<string, unknown>>) {
  const list = (value: unknown) => (Array.isArray(value) ? value : [])
  const record = (value: unknown) => (isRecord(value) ? value : {})
  return {
    ...own,
    ...watching,
    // The evaluation aborts its own when theirs aborts.
    signal: own['signal'],
    callbacks: [...list(watching['callbacks']), ...list(own['callbacks'])],
    metadata: { ...record(watching['metadata']), ...record(own['metadata']) },
    configurable: { ...record(own['configurable']), ...record(watching['configurable']) },
  }
}

/** A token of another version of the prompt is of no use: the graph goes on, what was opened is closed again. */
function tokenFor(prompt: Prompt, token: ResumeToken | undefined): ResumeToken | undefined {
  return token?.prompt.hash === prompt.template.hash ? token : undefined
}

/** Anything else, a `Command` or null, goes on where the thread stands. */
const isInput = (input: unknown): boolean =>
  typeof input === 'string' || (isRecord(input) && !('lg_name' in input))

const paramsOf = (input: unknown): unknown => (isRecord(input) ? input['params'] : undefined)

function turnOf(input: unknown): Pick<EvaluateOptions, 'input'> {
  if (typeof input === 'string') return { input }
  const messages = isRecord(input) ? input['messages'] : undefined
  return Array.isArray(messages) && messages.length > 0 ? { input: messages } : {}
}
