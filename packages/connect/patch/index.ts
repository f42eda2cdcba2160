import { LangGraphAgent as Upstream } from '@ag-ui/langgraph'
import type { RunAgentInput } from '@ag-ui/core'
import { connectThread } from '../src/connect-thread.ts'

export * from '@ag-ui/langgraph'

/** The package's own class with `connect()`. A local export shadows the same name of `export *`. */
export class LangGraphAgent extends Upstream {
  /** Cursor: the last event of a run's stream that this agent has processed. Sent as `forwardedProps.lastEventId`, it resumes there. */
  declare lastEventId?: string

  override connect(input: RunAgentInput): ReturnType<typeof connectThread> {
    return connectThread(this, input)
  }
}
