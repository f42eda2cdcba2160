import { HttpAgent } from '@ag-ui/client'
import type { HttpAgentConfig } from '@ag-ui/client'
import type { BaseEvent, RunAgentInput } from '@ag-ui/core'
import type { Observable } from 'rxjs'
import { resumableEvents } from './resumable-events.ts'

/** What `HttpAgent` takes, and how to come back. */
export interface ConnectableHttpAgentConfig extends HttpAgentConfig {
  /** Where `connect()` posts to. Default: the agent's URL with `/connect` after its path. */
  readonly connectUrl?: string
  /** How often a stream that breaks off is taken up again before it counts as failed. Default 5; 0 for never. */
  readonly maxResumes?: number
  /** Back-off: milliseconds before the first attempt, about doubled for each one after it. Default 250. */
  readonly resumeDelayMs?: number
}

/**
 * `HttpAgent` that can come back: `connectAgent()` shows a thread's history and the run that is going on in it, and a
 * run or connection that breaks off is taken up where it was cut, without a repeated or a missing event.
 */
export class ConnectableHttpAgent extends HttpAgent {
  connectUrl: string
  maxResumes: number
  resumeDelayMs: number

  constructor(config: ConnectableHttpAgentConfig) {
    super(config)
    this.connectUrl = config.connectUrl ?? connectUrlOf(config.url)
    this.maxResumes = config.maxResumes ?? 5
    this.resumeDelayMs = config.resumeDelayMs ?? 250
  }

  override run(input: RunAgentInput): Observable<BaseEvent> {
    return this.eventsFrom(this.url, input)
  }

  /** Public, so that a server which holds an agent (a CopilotKit runner, say) can pass its events on. */
  override connect(input: RunAgentInput): Observable<BaseEvent> {
    // connectAgent() does not renew the controller as runAgent() does: one abort would be the end of all connects.
    if (this.abortController.signal.aborted) this.abortController = new AbortController()
    return this.eventsFrom(this.connectUrl, input)
  }

  override clone(): ConnectableHttpAgent {
    const copy = super.clone()
    if (!(copy instanceof ConnectableHttpAgent)) throw new TypeError('HttpAgent.clone() changed the class.')
    copy.connectUrl = this.connectUrl
    copy.maxResumes = this.maxResumes
    copy.resumeDelayMs = this.resumeDelayMs
    return copy
  }

  // Not #private: AbstractAgent.clone() makes objects that lack private members.
  protected eventsFrom(url: string, input: RunAgentInput): Observable<BaseEvent> {
    const { signal, ...init } = this.requestInit(input)
    return resumableEvents({
      url,
      resumeUrl: this.connectUrl,
      maxResumes: this.maxResumes,
      resumeDelayMs: this.resumeDelayMs,
      signal: signal ?? this.abortController.signal,
      post: (to, headers, stop) =>
        this.fetch(to, { ...init, headers: { ...headersOf(init.headers), ...headers }, signal: stop }),
    })
  }
}

function headersOf(headers: RequestInit['headers']): Record<string, string> {
  return Object.fromEntries(new Headers(headers).entries())
}

/** The query stays where it is. */
function connectUrlOf(url: string): string {
  const [, path = '', query = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? []
  return `${path.replace(/\/+$/, '')}/connect${query}`
}
