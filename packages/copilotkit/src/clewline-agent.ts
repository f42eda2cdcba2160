import { AbstractAgent } from '@ag-ui/client'
import type { AgentConfig, BaseEvent, RunAgentInput } from '@ag-ui/client'
import { aguiStreams } from '@clewline/agui'
import type { OpenStream, Threads } from '@clewline/agui'
import { publicError } from '@clewline/core/http'
import { catchError, defer, Observable, switchMap } from 'rxjs'
import { runError } from './run-error.ts'

/** Where the agent is, and CopilotKit's own settings of an agent. */
export interface ClewlineAgentConfig extends AgentConfig {
  /** Where threads and runs live: `aguiPort(clewline, owner)` of `@clewline/server` makes one. */
  readonly threads: Threads
  /** The agent's name there. */
  readonly agent: string
  /** Keys of `forwardedProps` that reach the agent. */
  readonly forward?: readonly string[]
}

/** An agent of Clewline in the CopilotKit runtime: everything it does is in the durable log, and is shown from there. */
export class ClewlineAgent extends AbstractAgent {
  config: ClewlineAgentConfig

  constructor(config: ClewlineAgentConfig) {
    super(config)
    this.config = config
  }

  run(input: RunAgentInput): Observable<BaseEvent> {
    return opened(() => this.streams().run(this.config.agent, input, { version: '0.0.59' }))
  }

  /** Public, because the runner calls it. */
  override connect(input: RunAgentInput): Observable<BaseEvent> {
    return opened(() => this.streams().connect(this.config.agent, input, { version: '0.0.59' }))
  }

  override clone(): ClewlineAgent {
    const copy = super.clone()
    if (!(copy instanceof ClewlineAgent)) throw new TypeError('AbstractAgent.clone() changed the class.')
    copy.config = this.config
    return copy
  }

  protected streams(): ReturnType<typeof aguiStreams> {
    const { threads, forward = [] } = this.config
    return aguiStreams({ threads, forward })
  }
}

function opened(open: () => Promise<OpenStream>): Observable<BaseEvent> {
  return defer(open).pipe(
    switchMap(eventsOf),
    catchError((error: unknown) => {
      const { code, message, hint } = publicError(error)
      return runError(code, `${message} ${hint}`)
    }),
  )
}

function eventsOf(open: OpenStream): Observable<BaseEvent> {
  return new Observable((subscriber) => {
    const stop = new AbortController()
    const read = async (): Promise<void> => {
      for await (const { events } of open(stop.signal)) {
        for (const event of events) subscriber.next(event)
      }
    }
    read().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    )
    return () => stop.abort()
  })
}
