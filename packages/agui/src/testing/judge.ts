import { enforceEvents, verifyEvents } from '@ag-ui/client'
import { verifyEvents as verifyEventsV0 } from '@ag-ui/client-v0'
import type { BaseEvent, Event } from '@ag-ui/core'
import { isDeepStrictEqual } from 'node:util'
import { from, lastValueFrom, toArray } from 'rxjs'

/** Rejects unless the events are a valid stream for the verifiers of 1.0.0 (with its field checks) and 0.0.59. */
export async function judge(events: readonly Event[]): Promise<void> {
  const wire = events.map((event) => JSON.parse(JSON.stringify(event)) as BaseEvent)
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- two copies of one enum: core is peered with two zods
  const kept = await lastValueFrom(verifyEvents()(enforceEvents()(from(wire))).pipe(toArray()))
  if (kept.length !== wire.length) throw new Error(`1.0.0 dropped ${wire.length - kept.length} events.`)
  if (!isDeepStrictEqual(kept, wire)) throw new Error('1.0.0 stripped fields that it does not know.')
  type V0 = Parameters<ReturnType<typeof verifyEventsV0>>[0]
  // Two versions of one class: the same bytes on the wire, unrelated to the compiler.
  await lastValueFrom(verifyEventsV0(false)(from(wire) as unknown as V0).pipe(toArray()))
  for (const event of wire) {
    for (const [key, value] of Object.entries(event))
      if (value === null && key !== 'value') throw new Error(`${event.type}.${key} is null.`)
    if ('delta' in event && event['delta'] === '') throw new Error(`${event.type} has an empty delta.`)
  }
}

/** An event as it would come over the wire, whichever version's class it was. */
export function wire(event: unknown): Event {
  return JSON.parse(JSON.stringify(event)) as Event
}

/** Events as short lines, for tables. */
export function brief(events: readonly Event[]): string[] {
  return events.map((event) => {
    const parts = [event.type.replace('_MESSAGE', '').replace('TOOL_CALL', 'TOOL')]
    if ('messageId' in event) parts.push(event.messageId ?? '')
    if ('toolCallId' in event) parts.push(event.toolCallId ?? '')
    if ('stepName' in event) parts.push(event.stepName)
    if ('delta' in event)
      parts.push(typeof event.delta === 'string' ? event.delta : JSON.stringify(event.delta))
    if ('content' in event)
      parts.push(typeof event.content === 'string' ? event.content : JSON.stringify(event.content))
    if ('name' in event && typeof event.name === 'string') parts.push(event.name)
    if ('outcome' in event && event.outcome !== undefined) parts.push(event.outcome.type)
    if ('subagentRunId' in event && event.subagentRunId !== undefined) parts.push(`@${event.subagentRunId}`)
    return parts.join(' ')
  })
}
