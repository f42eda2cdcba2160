import { EventType } from '@ag-ui/client'
import type { BaseEvent, RunErrorEvent } from '@ag-ui/client'
import { of } from 'rxjs'
import type { Observable } from 'rxjs'

/** A refusal that the client can read. The runtime turns a failed observable into an empty answer (1.75.0). */
export function runError(code: string, message: string): Observable<BaseEvent> {
  const event: RunErrorEvent = { type: EventType.RUN_ERROR, code, message }
  return of(event)
}
