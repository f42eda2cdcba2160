import type { BaseEvent, RunAgentInput } from '@ag-ui/client'
import { InMemoryAgentRunner } from '@copilotkit/runtime/v2'
import type {
  AgentRunnerConnectRequest,
  AgentRunnerRunRequest,
  AgentRunnerStopRequest,
} from '@copilotkit/runtime/v2'
import { catchError, defer } from 'rxjs'
import type { Observable } from 'rxjs'
import { isRunStore } from './run-store.ts'
import { runError } from './run-error.ts'

/** An agent that can show a thread by itself: a patched `LangGraphAgent`, say. */
export interface ConnectableAgent {
  threadId: string
  headers?: Record<string, string>
  connect(input: RunAgentInput): Observable<BaseEvent>
  clone(): ConnectableAgent
}

/** The agents to ask. */
export interface ConnectingRunnerOptions {
  /** The same agents that the runtime is given, by the same names. */
  readonly agents: Readonly<Record<string, ConnectableAgent>>
}

/**
 * The runner that CopilotKit's `/connect` lacks: the stock ones replay what they ran themselves, this one delegates to the
 * agent (CopilotKit#3532). Runs that the runtime starts on a LangGraph server are made resumable, so that others can join.
 */
export class ConnectingRunner extends InMemoryAgentRunner {
  readonly #agents: ConnectingRunnerOptions['agents']
  /** Which agent a thread was last seen with: a stop names the thread only. */
  readonly #threads = new Map<string, string>()

  constructor({ agents }: ConnectingRunnerOptions) {
    super()
    this.#agents = agents
  }

  override run(request: AgentRunnerRunRequest): Observable<BaseEvent> {
    const { agent, input, threadId } = request
    this.#remember(threadId, agent.agentId)
    const own = typeof input.forwardedProps === 'object' ? (input.forwardedProps ?? {}) : {}
    const forwardedProps: object = isRunStore(agent) ? { streamResumable: true, ...own } : own
    return super.run({ ...request, input: { ...input, forwardedProps } })
  }

  override connect(request: AgentRunnerConnectRequest): Observable<BaseEvent> {
    const { threadId, agentId = '', headers } = request
    const agent = this.#agents[agentId]
    if (agent === undefined)
      return runError('unknown_agent', `The runner has no agent "${agentId}". Add it to its agents.`)
    this.#remember(threadId, agentId)
    const copy = agent.clone()
    copy.threadId = threadId
    copy.headers = { ...copy.headers, ...headers }
    const input = { messages: [], state: {}, tools: [], context: [], forwardedProps: {} }
    return defer(() => copy.connect({ threadId, runId: crypto.randomUUID(), ...input })).pipe(
      catchError((error: unknown) => {
        const words = error instanceof Error ? error.message : String(error)
        const hint = 'A LangGraphAgent connects with the patch in patches/, or as ConnectableLangGraphAgent.'
        return runError('connect_failed', `Agent "${agentId}" does not connect: ${words} ${hint}`)
      }),
    )
  }

  /** Stops the runtime's own run, or else the run that the thread has on the agent's server. */
  override async stop(request: AgentRunnerStopRequest): Promise<boolean | undefined> {
    if (await super.stop(request)) return true
    const agent = this.#agents[this.#threads.get(request.threadId) ?? '']
    if (!isRunStore(agent)) return false
    const { runs } = agent.client
    const active = [
      ...(await runs.list(request.threadId, { status: 'pending' })),
      ...(await runs.list(request.threadId, { status: 'running' })),
    ].filter((run) => request.runId === undefined || run.run_id === request.runId)
    for (const run of active) await runs.cancel(request.threadId, run.run_id)
    return active.length > 0
  }

  #remember(threadId: string, agentId: string | undefined): void {
    if (agentId === undefined) return
    this.#threads.delete(threadId)
    this.#threads.set(threadId, agentId)
    const [oldest] = this.#threads.keys()
    if (this.#threads.size > 10_000 && oldest !== undefined) this.#threads.delete(oldest)
  }
}
