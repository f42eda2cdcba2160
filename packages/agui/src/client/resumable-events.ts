import { EventType } from '@ag-ui/core'
import type { BaseEvent } from '@ag-ui/core'
import { sleep } from '@clewline/core'
import { backoff, readSse, type SseEvent } from '@clewline/client/sse'
import { Observable } from 'rxjs'

/** The longest event that is buffered, in characters. */
const MAX_LENGTH = 10_000_000

export interface ResumableEvents {
  readonly url: string
  /** Where to go on after a break. */
  readonly resumeUrl: string
  readonly maxResumes: number
  readonly resumeDelayMs: number
  /** The agent's own abort. */
  readonly signal: AbortSignal
  post(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
}

/** The events of one run over as many requests as it takes. Unsubscribing ends the request that is open. */
export function resumableEvents(options: ResumableEvents): Observable<BaseEvent> {
  return new Observable((subscriber) => {
    const gone = new AbortController()
    const signal = AbortSignal.any([options.signal, gone.signal])
    void deliver()
    return () => gone.abort()

    async function deliver(): Promise<void> {
      try {
        for await (const event of events(options, signal)) subscriber.next(event)
        subscriber.complete()
      } catch (error) {
        if (gone.signal.aborted) return
        if (!options.signal.aborted) return subscriber.error(error)
        // As HttpAgent tells of an abort.
        subscriber.next({ type: EventType.RUN_ERROR, message: 'The request was aborted.', code: 'abort' })
        subscriber.complete()
      }
    }
  })
}

async function* events(options: ResumableEvents, signal: AbortSignal): AsyncGenerator<BaseEvent> {
  const { url, resumeUrl, maxResumes, resumeDelayMs } = options
  let cursor: { run: string; position: string } | null = null
  let run = ''
  let failures = 0
  for (;;) {
    try {
      const response = await options.post(
        cursor === null ? url : resumeUrl,
        // Asking for positions at all is what makes the server send them.
        { 'last-event-id': cursor === null ? '0' : `${cursor.position}@${cursor.run}` },
        signal,
      )
      if (!response.ok) throw await httpError(response)
      let held: BaseEvent[] = []
      for await (const { id, data } of eventsOf(response, signal)) {
        const event = parse(data)
        if (event.type === EventType.RUN_STARTED && 'runId' in event && typeof event['runId'] === 'string')
          run = event['runId']
        held.push(event)
        // Events between two positions belong together: half of them would come again after a break.
        if (id === undefined && cursor !== null) continue
        if (id !== undefined) cursor = { run, position: id }
        failures = 0
        yield* held
        held = []
        if (event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR) return
      }
      yield* held
      if (held.some(({ type }) => type === EventType.RUN_FINISHED || type === EventType.RUN_ERROR)) return
      throw new Error('The stream ended before the run did.')
    } catch (error) {
      if (signal.aborted || cursor === null || failures >= maxResumes || isRefusal(error)) throw error
      await sleep(
        backoff(failures, { firstMs: resumeDelayMs, maxMs: Math.max(resumeDelayMs, 10_000) }),
        signal,
      )
      failures += 1
    }
  }
}

/** With their ids, which AG-UI's own parser drops. */
async function* eventsOf({ body }: Response, signal: AbortSignal): AsyncGenerator<SseEvent> {
  if (body === null) return
  for await (const events of readSse(body, { signal, maxLength: MAX_LENGTH })) yield* events
}

interface HttpError extends Error {
  status?: number
  payload?: unknown
}

/** The same shape that HttpAgent throws. */
async function httpError(response: Response): Promise<Error> {
  const text = await response.text()
  const error: HttpError = new Error(`HTTP ${response.status}: ${text}`)
  error.status = response.status
  try {
    error.payload = JSON.parse(text)
  } catch {
    error.payload = text
  }
  return error
}

/** Asking again will not change the answer. */
function isRefusal(error: unknown): boolean {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 408 && status !== 429
}

function parse(data: string): BaseEvent {
  const value: unknown = JSON.parse(data)
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string')
    throw new Error('Invalid event: the frame carries no event type.')
  return value as BaseEvent
}
