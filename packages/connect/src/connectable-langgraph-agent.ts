import { LangGraphAgent } from '@ag-ui/langgraph'
import type { Event, RunAgentInput } from '@ag-ui/core'
import type { Observable } from 'rxjs'
import { connectThread } from './connect-thread.ts'

/**
 * `LangGraphAgent` with `connect()`: history after a reload, and runs that were started elsewhere, live. The same code as
 * the patch in `patches/`, for projects that do not patch their dependencies.
 */
export class ConnectableLangGraphAgent extends LangGraphAgent {
  /** Cursor: the last event of a run's stream that this agent has processed. Sent as `forwardedProps.lastEventId`, it resumes there. */
  declare lastEventId?: string

  /** Public, so that a server that holds the agent can pass its events on. */
  override connect(input: RunAgentInput): Observable<Event> {
    return connectThread(this, input)
  }
}
