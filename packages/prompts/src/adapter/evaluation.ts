import { randomUUID } from 'node:crypto'
import type { PublishResult } from '../events/event-bus.ts'
import type { EventFacts, EventHead, PromptEvent } from '../events/prompt-event.ts'
import type { Phase } from '../limits/prompt-evaluation-error.ts'
import { addUsage, type TokenUsage } from '../limits/token-usage.ts'
import type { EvaluateOptions } from '../prompt/adapter.ts'
import type { RenderedPrompt } from '../prompt/render-prompt.ts'
import type { ResumeToken } from '../result/prompt-response.ts'
import type { Transaction } from '../session/session.ts'
import { commitOrder } from '../tool/commit-order.ts'
import type { ToolEvaluation } from '../tool/tool-evaluation.ts'
import type { SectionPath, Visibility } from '../visibility.ts'
import { usedToken } from './assert-waiting.ts'
import { createLimits, type Limits } from './limits.ts'
import type { LangChain } from './load-langchain.ts'

/** One evaluation: what it may use, what it has used, and what stops it. Nothing of it outlives `end`. */
export interface Evaluation extends ToolEvaluation {
  readonly id: string
  /** Of this attempt: an evaluation that is resumed keeps its id. */
  readonly run: string
  readonly limits: Limits
  /** False when every model call passes our middleware, so that the graph can run without a callback handler. */
  readonly countsByCallback: boolean
  readonly usage: TokenUsage
  readonly modelCalls: number
  readonly visibility: Readonly<Record<SectionPath, Visibility>>
  /** Pieces of answers that readers of the stream have been given, and reminders that the model has. */
  readonly counts: { tokens: number; reminders: number }
  /** Publishes, then runs the session's reducers. */
  emit(facts: EventFacts): PublishResult
  /** Counts a model call, and stops when it was one too many. */
  recordModelCall(usage: TokenUsage): void
  /** Takes in what an evaluation inside this one used; the budgets have counted it already. */
  includeNested(usage: TokenUsage): void
  end(): void
}

/** Key in a run's `configurable`; what begins with `__` is not copied into checkpoints. */
export const runKey = '__clewline_run'

const running = new Map<string, Evaluation>()

/**
 * The evaluation that this code runs in, if any. It travels with LangChain's own context: a second AsyncLocalStorage
 * would cost as much as the rest of an evaluation does (Node 20).
 */
export function currentEvaluation(lc: LangChain): Evaluation | undefined {
  const config = lc.contexts.AsyncLocalStorageProviderSingleton.getRunnableConfig()
  const run: unknown = config?.configurable?.[runKey]
  return typeof run === 'string' ? running.get(run) : undefined
}

export interface EvaluationSetup extends Pick<
  Evaluation,
  | 'adapter'
  | 'prompt'
  | 'clock'
  | 'disclosure'
  | 'disclosesInAnswer'
  | 'canPause'
  | 'countsByCallback'
  | 'tell'
> {
  readonly options: EvaluateOptions
  readonly token?: ResumeToken | undefined
}

type Changing = 'usage' | 'modelCalls' | 'visibility'
type OwnEvaluation = Omit<Evaluation, Changing> & { -readonly [K in Changing]: Evaluation[K] }

export function createEvaluation(lc: LangChain, setup: EvaluationSetup): Evaluation {
  const { options, token, prompt, adapter, clock } = setup
  const { session } = options
  const id = token?.evaluationId ?? randomUUID()
  if (token !== undefined && [...running.values()].some((other) => other.id === id)) throw usedToken()
  const around = currentEvaluation(lc)
  const run = randomUUID()
  const limits = createLimits(options, around?.limits, prompt.name)
  const controller = new AbortController()
  const transactions = new Set<Transaction>()
  const phases: Phase[] = []
  let rendered: RenderedPrompt | undefined
  const isStatic = prompt.template.sections.every((section) => section.isStatic)

  const rollBack = () => {
    for (const transaction of transactions) transaction.rollback()
    transactions.clear()
  }
  const stop = (reason: unknown) => {
    if (controller.signal.aborted) return
    // At once: a handler that does not listen to its signal finds its transaction closed.
    rollBack()
    controller.abort(reason)
  }
  const unlink = [
    follow(options.signal, stop),
    follow(around?.signal, stop),
    limits.onExpiry(stop, () => phases.at(-1) ?? 'request'),
  ]
  const head = (): EventHead => ({
    eventId: randomUUID(),
    sessionId: session.id,
    evaluationId: id,
    promptName: prompt.name,
    adapter: adapter.name,
    at: new Date(clock.now()),
  })

  // Written out: with a spread or an accessor in it, V8 makes this object a dictionary, at ten times the price.
  const evaluation: OwnEvaluation = {
    id,
    run,
    adapter,
    prompt,
    session,
    clock,
    signal: controller.signal,
    limits,
    disclosure: setup.disclosure,
    disclosesInAnswer: setup.disclosesInAnswer,
    canPause: setup.canPause,
    countsByCallback: setup.countsByCallback,
    order: commitOrder(),
    settled: new Map(token?.settled.map((call) => [call.callId, call])),
    malformed: new Map(),
    usage: token?.usage ?? {},
    modelCalls: token?.steps ?? 0,
    visibility: { ...options.visibility, ...token?.visibility },
    counts: { tokens: 0, reminders: 0 },
    tell: setup.tell,
    render() {
      if (isStatic && rendered !== undefined) return rendered
      rendered = prompt.render({ visibility: evaluation.visibility, session })
      return rendered
    },
    open(overrides) {
      evaluation.visibility = { ...evaluation.visibility, ...overrides }
      rendered = undefined
    },
    head,
    emit(facts) {
      // A spread of these many shapes costs ten times as much (V8 11).
      const event: PromptEvent = Object.assign(head(), facts)
      const result = session.bus.publish(event)
      session.apply(event)
      setup.tell({ type: 'event', event })
      return result
    },
    checkBefore(what) {
      controller.signal.throwIfAborted()
      limits.checkBefore(what)
    },
    recordModelCall(used) {
      evaluation.modelCalls += 1
      evaluation.usage = addUsage(evaluation.usage, used)
      limits.recordModelCall(id, used)
      const consumed = limits.tracker?.consumed ?? evaluation.usage
      evaluation.emit({ type: 'ModelCalled', call: evaluation.modelCalls, usage: used, consumed })
      const exceeded = limits.exceeded()
      if (exceeded !== undefined) stop(exceeded)
      around?.includeNested(used)
    },
    includeNested(used) {
      evaluation.usage = addUsage(evaluation.usage, used)
      const exceeded = limits.exceeded()
      if (exceeded !== undefined) stop(exceeded)
      around?.includeNested(used)
    },
    begin(label) {
      const transaction = session.begin(label)
      transactions.add(transaction)
      const close = (how: () => void) => void (transactions.delete(transaction) && how())
      return {
        session: transaction.session,
        commit: () => close(() => transaction.commit()),
        rollback: (how) => close(() => transaction.rollback(how)),
      }
    },
    enter(phase) {
      phases.push(phase)
      return { [Symbol.dispose]: () => void phases.splice(phases.lastIndexOf(phase), 1) }
    },
    stop,
    end() {
      running.delete(run)
      unlink.forEach((each) => each())
      rollBack()
    },
  }
  running.set(run, evaluation)
  return evaluation
}

function follow(signal: AbortSignal | undefined, stop: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => undefined
  const abort = () => stop(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return () => signal.removeEventListener('abort', abort)
}
