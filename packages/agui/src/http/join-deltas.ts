import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'

/**
 * Joins pieces of the same message, reasoning or arguments, also when pieces of others lie between them. Used on what
 * is there to be sent at once, so it saves bytes and the client's work without holding anything back.
 */
export function joinDeltas(events: readonly Event[]): readonly Event[] {
  if (events.length < 2) return events
  const out: Event[] = []
  const places = new Map<string, number>()
  for (const event of events) {
    const key = keyOf(event)
    if (key === null) {
      out.push(event)
      continue
    }
    const place = places.get(key)
    const earlier = place === undefined ? undefined : out[place]
    if (!isDelta(event)) {
      places.delete(key)
      out.push(event)
    } else if (place !== undefined && earlier !== undefined && isDelta(earlier)) {
      out[place] = { ...earlier, delta: earlier.delta + event.delta }
    } else {
      places.set(key, out.length)
      out.push(event)
    }
  }
  return out
}

type DeltaEvent = Extract<
  Event,
  {
    type: EventType.TEXT_MESSAGE_CONTENT | EventType.TOOL_CALL_ARGS | EventType.REASONING_MESSAGE_CONTENT
  }
>

function isDelta(event: Event): event is DeltaEvent {
  return (
    event.type === EventType.TEXT_MESSAGE_CONTENT ||
    event.type === EventType.TOOL_CALL_ARGS ||
    event.type === EventType.REASONING_MESSAGE_CONTENT
  )
}

/** What a piece belongs to; its start and end have the same key, so that nothing is joined across them. */
function keyOf(event: Event): string | null {
  if ('toolCallId' in event) return `tool:${event.toolCallId}`
  return 'messageId' in event ? `message:${event.messageId}` : null
}
