import { EventType } from '@ag-ui/core'
import type { Event, Message } from '@ag-ui/core'

/**
 * Makes the stream of upstream's translation valid before the client gets it: one run id, nothing after the end, nothing
 * continued that is not open, everything closed before the end, and no duplicate of what a snapshot has brought.
 */
export interface StreamGuard {
  start(runId: string): void
  /** State and messages as they are now. The last one before the end decides what the client keeps. */
  snapshot(state: unknown, messages: readonly Message[]): void
  push(event: Event): void
  /** Ends the run unless it has ended. */
  finish(): void
  fail(error: { readonly code: string; readonly message: string }): void
  /** While true, events are tracked but not sent; what is open when it becomes false is opened again. */
  mute(isMuted: boolean): void
  isOver(): boolean
}

export interface StreamGuardOptions {
  readonly threadId: string
  /** Ids of the messages that the client has, in its order. */
  readonly has: readonly string[]
  readonly emit: (event: Event) => void
}

type Opener = Extract<
  Event,
  {
    type:
      | EventType.TEXT_MESSAGE_START
      | EventType.TOOL_CALL_START
      | EventType.REASONING_START
      | EventType.REASONING_MESSAGE_START
      | EventType.STEP_STARTED
  }
>

export function createStreamGuard({ threadId, has, emit }: StreamGuardOptions): StreamGuard {
  let run = ''
  let phase: 'before' | 'open' | 'over' = 'before'
  let isMuted = false
  /** What the client's list of messages looks like. */
  let order = [...has]
  /** Messages and tool calls that the client already has whole. */
  const shown = new Set<string>()
  const shownCalls = new Set<string>()
  const answered = new Set<string>()
  const open = new Map<string, Opener>()

  function send(event: Event): void {
    if (!isMuted) emit(event)
  }

  function opens(key: string, event: Opener): void {
    if (open.has(key)) return
    open.set(key, event)
    send(event)
  }

  function closes(key: string, event: Event): void {
    if (open.delete(key)) send(event)
  }

  function closeAll(): void {
    for (const [key, event] of [...open].reverse()) closes(key, closing(event))
  }

  function add(id: string): void {
    if (!order.includes(id)) order.push(id)
  }

  /** A client keeps its order and appends what is new; a snapshot that is in another order has to be brought in two. */
  function messagesSnapshot(messages: readonly Message[]): void {
    const ids = messages.map((message) => message.id)
    const kept = order.filter((id) => ids.includes(id))
    const merged = [...kept, ...ids.filter((id) => !kept.includes(id))]
    const wrong = merged.findIndex((id, index) => id !== ids[index])
    if (wrong >= 0) send({ type: EventType.MESSAGES_SNAPSHOT, messages: messages.slice(0, wrong) })
    send({ type: EventType.MESSAGES_SNAPSHOT, messages: [...messages] })
    order = ids
  }

  function push(event: Event): void {
    switch (event.type) {
      case EventType.TEXT_MESSAGE_START:
        if (shown.has(event.messageId)) return
        add(event.messageId)
        return opens(`text:${event.messageId}`, event)
      case EventType.TEXT_MESSAGE_CONTENT:
        if (event.delta !== '' && open.has(`text:${event.messageId}`)) send(event)
        return
      case EventType.TEXT_MESSAGE_END:
        return closes(`text:${event.messageId}`, event)
      case EventType.TOOL_CALL_START:
        if (shownCalls.has(event.toolCallId)) return
        shownCalls.add(event.toolCallId)
        add(event.parentMessageId ?? event.toolCallId)
        return opens(`tool:${event.toolCallId}`, event)
      case EventType.TOOL_CALL_ARGS:
        if (event.delta !== '' && open.has(`tool:${event.toolCallId}`)) send(event)
        return
      case EventType.TOOL_CALL_END:
        return closes(`tool:${event.toolCallId}`, event)
      case EventType.TOOL_CALL_RESULT:
        if (answered.has(event.toolCallId)) return
        answered.add(event.toolCallId)
        closes(`tool:${event.toolCallId}`, { type: EventType.TOOL_CALL_END, toolCallId: event.toolCallId })
        add(event.messageId)
        return send(event)
      case EventType.REASONING_START:
        return opens(`span:${event.messageId}`, event)
      case EventType.REASONING_MESSAGE_START:
        return opens(`reasoning:${event.messageId}`, event)
      case EventType.REASONING_MESSAGE_CONTENT:
        if (event.delta !== '' && open.has(`reasoning:${event.messageId}`)) send(event)
        return
      case EventType.REASONING_MESSAGE_END:
        return closes(`reasoning:${event.messageId}`, event)
      case EventType.REASONING_END:
        return closes(`span:${event.messageId}`, event)
      case EventType.STEP_STARTED:
        return opens(`step:${event.stepName}`, event)
      case EventType.STEP_FINISHED:
        return closes(`step:${event.stepName}`, event)
      case EventType.STATE_SNAPSHOT:
      case EventType.STATE_DELTA:
      case EventType.CUSTOM:
      case EventType.ACTIVITY_SNAPSHOT:
      case EventType.ACTIVITY_DELTA:
      case EventType.REASONING_ENCRYPTED_VALUE:
        return send(event)
      case EventType.RUN_FINISHED:
      case EventType.RUN_ERROR:
        closeAll()
        phase = 'over'
        isMuted = false
        return emit(event.type === EventType.RUN_FINISHED ? { ...event, threadId, runId: run } : event)
      // RUN_STARTED was sent before the snapshots; messages come from our own snapshots, because upstream's are taken
      // at other moments than the events around them; RAW repeats the server's events at ten times their size.
      case EventType.RUN_STARTED:
      case EventType.MESSAGES_SNAPSHOT:
      case EventType.RAW:
      case EventType.TEXT_MESSAGE_CHUNK:
      case EventType.TOOL_CALL_CHUNK:
      case EventType.REASONING_MESSAGE_CHUNK:
      case EventType.SUBAGENT_STARTED:
      case EventType.SUBAGENT_FINISHED:
      case EventType.SUBAGENT_ERROR:
        return
    }
  }

  return {
    start(runId) {
      run = runId
      phase = 'open'
      emit({ type: EventType.RUN_STARTED, threadId, runId })
    },
    snapshot(state, messages) {
      if (phase !== 'open') return
      closeAll()
      send({ type: EventType.STATE_SNAPSHOT, snapshot: state })
      if (messages.length > 0) messagesSnapshot(messages)
      for (const message of messages) {
        shown.add(message.id)
        if (message.role === 'tool') answered.add(message.toolCallId)
        if (message.role === 'assistant') for (const call of message.toolCalls ?? []) shownCalls.add(call.id)
      }
    },
    push(event) {
      if (phase !== 'open') return
      const { rawEvent: _repeated, ...plain } = event
      push(plain)
    },
    finish() {
      if (phase === 'open') push({ type: EventType.RUN_FINISHED, threadId, runId: run })
    },
    fail({ code, message }) {
      if (phase !== 'over') push({ type: EventType.RUN_ERROR, code, message })
    },
    mute(next) {
      const wasMuted = isMuted
      isMuted = next
      if (wasMuted && !next) for (const event of open.values()) emit(event)
    },
    isOver: () => phase === 'over',
  }
}

function closing(event: Opener): Event {
  switch (event.type) {
    case EventType.TEXT_MESSAGE_START:
      return { type: EventType.TEXT_MESSAGE_END, messageId: event.messageId }
    case EventType.TOOL_CALL_START:
      return { type: EventType.TOOL_CALL_END, toolCallId: event.toolCallId }
    case EventType.REASONING_START:
      return { type: EventType.REASONING_END, messageId: event.messageId }
    case EventType.REASONING_MESSAGE_START:
      return { type: EventType.REASONING_MESSAGE_END, messageId: event.messageId }
    case EventType.STEP_STARTED:
      return { type: EventType.STEP_FINISHED, stepName: event.stepName }
  }
}
