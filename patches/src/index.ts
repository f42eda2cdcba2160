import { LangGraphAgent as Upstream } from '@ag-ui/langgraph'
import type { RunAgentInput } from '@ag-ui/core'
import { connectThread } from '../../packages/agui/src/langgraph/connect-thread.ts'

export * from '@ag-ui/langgraph'

/** The package's own class with `connect()`. A name that is exported here stands before the same name of the line above. */
export class LangGraphAgent extends Upstream {
  /** The last event of a run's stream that this agent has taken in. Given back as `forwardedProps.lastEventId`, it resumes. */
  declare lastEventId?: string

  override connect(input: RunAgentInput): ReturnType<typeof connectThread> {
    return connectThread(this, input)
  }
}
