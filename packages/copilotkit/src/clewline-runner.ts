import type { BaseEvent } from '@ag-ui/client'
import { AgentRunner } from '@copilotkit/runtime/v2'
import type {
  AgentRunnerConnectRequest,
  AgentRunnerIsRunningRequest,
  AgentRunnerRunRequest,
  AgentRunnerStopRequest,
} from '@copilotkit/runtime/v2'
import type { Threads } from '@clewline/agui'
import type { Observable } from 'rxjs'
import { runError } from './run-error.ts'
import { ClewlineAgent } from './clewline-agent.ts'

/** Where the threads are, and which `forwardedProps` reach the agents. */
export interface ClewlineRunnerOptions {
  readonly threads: Threads
  readonly forward?: readonly string[]
}

/**
 * A stateless runner: threads live in Clewline's log, so they survive a restart and are the same for every replica. A
 * second run on a busy thread is refused with a `RUN_ERROR` that says what to do.
 */
export class ClewlineRunner extends AgentRunner {
  readonly #options: ClewlineRunnerOptions

  constructor(options: ClewlineRunnerOptions) {
    super()
    this.#options = options
  }

  override run({ agent, input }: AgentRunnerRunRequest): Observable<BaseEvent> {
    if (agent instanceof ClewlineAgent) return agent.run(input)
    return runError(
      'not_a_clewline_agent',
      `Agent "${agent.agentId ?? ''}" is not a ClewlineAgent. Give the runtime new ClewlineAgent({ threads, agent }).`,
    )
  }

  override connect({ threadId, agentId = '' }: AgentRunnerConnectRequest): Observable<BaseEvent> {
    const agent = new ClewlineAgent({ ...this.#options, agent: agentId, threadId })
    const runId = crypto.randomUUID()
    return agent.connect({
      threadId,
      runId,
      messages: [],
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
    })
  }

  override async isRunning({ threadId }: AgentRunnerIsRunningRequest): Promise<boolean> {
    return ((await this.#options.threads.state(threadId))?.active_run ?? null) !== null
  }

  override async stop({ threadId, runId }: AgentRunnerStopRequest): Promise<boolean> {
    const active = (await this.#options.threads.state(threadId))?.active_run ?? null
    if (active === null || (runId !== undefined && runId !== active)) return false
    await this.#options.threads.cancel(threadId, active)
    return true
  }
}
