import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'

/**
 * Coalesces deltas of the same message, reasoning or arguments, also when deltas of others lie between them. Used on
 * what is sent at once, so it saves bytes and the client's work without delaying anything.
 */
export function joinDeltas(events: readonly Event[]): readonly Event[] {
  if (events.length < 2) return events
  const out: Event[] = []
  const open = new Map<string, DeltaEvent>()
  let last: DeltaEvent | null = null
  for (const event of events) {
    if (!isDelta(event)) {
      const key = keyOf(event)
      if (key !== null) open.delete(key)
      last = null
      out.push(event)
      continue
    }
    // Fast path: nearly always the same message as before, and no key is built for that.
    const earlier: DeltaEvent | undefined =
      last !== null && isSame(last, event) ? last : open.get(keyOf(event) ?? '')
    if (earlier === undefined) {
      last = { ...event }
      open.set(keyOf(event) ?? '', last)
      out.push(last)
    } else {
      earlier.delta += event.delta
      last = earlier
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

function isSame(one: DeltaEvent, other: DeltaEvent): boolean {
  if (one.type === EventType.TOOL_CALL_ARGS)
    return other.type === EventType.TOOL_CALL_ARGS && one.toolCallId === other.toolCallId
  return other.type === one.type && one.messageId === other.messageId
}
