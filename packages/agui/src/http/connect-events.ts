import { EventType } from '@ag-ui/core'
import type { Event, Message } from '@ag-ui/core'
import type { Entry } from '@clewline/core'
import type { Threads, ThreadState } from '../threads.ts'
import { aguiMessages } from '../translate/agui-messages.ts'
import { createTranslator } from '../translate/create-translator.ts'
import { dialectOf } from '../translate/dialect.ts'
import type { Batch } from './encode.ts'
import { followRun } from './follow-run.ts'
import { joinDeltas } from './join-deltas.ts'
import { keptMessages } from './kept-messages.ts'
import type { AguiInput } from './parse-input.ts'
import { recall } from './recall.ts'
import { shownState } from './shown-state.ts'

export interface ConnectEvents {
  readonly threads: Threads
  readonly input: AguiInput
  readonly version: string | undefined
  /** Where the client was cut off, when it comes back to a run. */
  readonly cursor: Cursor | null
  readonly signal: AbortSignal
}

export interface Cursor {
  readonly run_id: string
  readonly position: number
}

/** Rehydrates a client, attaches it to the run that is going on, and ends with that run. */
export async function* connectEvents(options: ConnectEvents): AsyncGenerator<Batch> {
  const { threads, input, cursor } = options
  const thread = await threads.state(input.threadId)
  const run_id = cursor?.run_id ?? thread?.active_run ?? null
  if (thread === null || run_id === null) yield snapshotRun(options, thread)
  else yield* attach(options, thread, run_id)
}

function snapshotRun({ input, version }: ConnectEvents, thread: ThreadState | null): Batch {
  const translator = createTranslator({
    thread_id: input.threadId,
    ...(version !== undefined && { version }),
  })
  const started = translator.begin(input.runId)
  const interrupts = (thread?.interrupts ?? []).map((one) => ({ ...one, owner: null }))
  const ended = translator.end(
    interrupts.length > 0 ? { status: 'interrupted', interrupts } : { status: 'success' },
  )
  return {
    events: [...started, ...snapshots(input, version, thread, new Set()), ...ended],
    position: thread?.position ?? 0,
  }
}

async function* attach(options: ConnectEvents, thread: ThreadState, run_id: string): AsyncGenerator<Batch> {
  const { threads, input, version, cursor, signal } = options
  const state = shownState(thread.values)
  const about = {
    thread_id: input.threadId,
    ...(version !== undefined && { version }),
    known: thread.messages.map((message) => message.id),
    hasFiles: typeof state['files'] === 'object' && state['files'] !== null,
  }
  const begin = thread.trace_position ?? 0
  const after = cursor !== null && cursor.position < begin ? 0 : begin
  const entries: Entry[] = []
  for await (const entry of threads.read(input.threadId, { after, follow: false, signal }))
    entries.push(entry)
  const first =
    entries.find(({ envelope }) => envelope.run_id === run_id)?.position ?? Number.MAX_SAFE_INTEGER
  const earlier = await recall(replay(threads, entries), input.threadId, about, {
    after,
    to: first - 1,
    signal,
  })

  const translator = createTranslator(about, earlier)
  const started = translator.begin(run_id)
  const caught: Event[] = []
  let position = after
  for (const entry of entries) {
    // Someone who comes back has seen this far; the translator has not.
    if (cursor !== null && position <= cursor.position && entry.position > cursor.position) caught.length = 0
    position = entry.position
    if (entry.envelope.run_id === run_id) caught.push(...translator.push(entry.envelope))
  }
  const isBack = cursor !== null
  if (cursor !== null && position <= cursor.position) caught.length = 0
  const shown = isBack ? [] : [...started, ...snapshots(input, version, thread, idsIn(caught))]
  const isOver = translator.state().phase === 'over'
  const kept = isOver
    ? await keptMessages({ threads, thread_id: input.threadId, translator }, caught)
    : caught
  const events = [...shown, ...joinDeltas(kept)]
  if (events.length > 0) yield { events, position }
  if (isOver) return
  yield* followRun({ threads, thread_id: input.threadId, run_id, after: position, translator, signal })
}

/** What was read once need not be read again. */
function replay(threads: Threads, entries: readonly Entry[]): Threads {
  return {
    ...threads,
    async *read() {
      yield* entries
    },
  }
}

/** State, then messages, without those that the run's own events are about to bring. */
function snapshots(
  input: AguiInput,
  version: string | undefined,
  thread: ThreadState | null,
  without: ReadonlySet<string>,
): Event[] {
  const resultIds = Object.fromEntries(
    input.messages.flatMap((message) =>
      message.role === 'tool' && message.toolCallId !== undefined ? [[message.toolCallId, message.id]] : [],
    ),
  )
  const messages: Message[] = aguiMessages(thread?.messages ?? [], dialectOf(version), resultIds)
  return [
    { type: EventType.STATE_SNAPSHOT, snapshot: shownState(thread?.values ?? null) },
    { type: EventType.MESSAGES_SNAPSHOT, messages: messages.filter((message) => !without.has(message.id)) },
  ]
}

function idsIn(events: readonly Event[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const event of events) {
    if ('messageId' in event && typeof event.messageId === 'string') ids.add(event.messageId)
    if (event.type === EventType.TOOL_CALL_START && event.parentMessageId !== undefined)
      ids.add(event.parentMessageId)
  }
  return ids
}
