import { EventType } from '@ag-ui/core'
import type { Event, Message } from '@ag-ui/core'
import type { Threads, ThreadState } from '../threads.ts'
import { aguiMessages } from '../translate/agui-messages.ts'
import { createTranslator } from '../translate/create-translator.ts'
import { dialectOf } from '../translate/dialect.ts'
import { clientState, hasFiles } from './client-state.ts'
import { joinDeltas } from './join-deltas.ts'
import type { AguiInput } from './parse-input.ts'
import type { Opening } from './stream-events.ts'
import { entriesAfter, translatorAt } from './translator-at.ts'
import { withFinalMessages } from './with-final-messages.ts'

export interface OpenThread {
  readonly threads: Threads
  readonly input: AguiInput
  readonly version: string | undefined
  /** Where the client lost its connection, when it resumes a run. */
  readonly cursor: Cursor | null
  readonly signal: AbortSignal
}

export interface Cursor {
  readonly run_id: string
  readonly position: number
}

/** The stream of a client that connects: what the thread holds, then its active run, to the end of that run. */
export async function openThread(options: OpenThread): Promise<Opening> {
  const { threads, input, cursor } = options
  const thread = await threads.state(input.threadId)
  const run_id = cursor?.run_id ?? thread?.active_run ?? null
  return thread === null || run_id === null ? snapshotRun(options, thread) : attach(options, thread, run_id)
}

/** A thread at rest, as a run of snapshots that ends at once. */
function snapshotRun({ input, version }: OpenThread, thread: ThreadState | null): Opening {
  const translator = createTranslator({
    thread_id: input.threadId,
    ...(version !== undefined && { version }),
  })
  const started = translator.begin(input.runId)
  const interrupts = (thread?.interrupts ?? []).map((one) => ({ ...one, owner: null }))
  const ended = translator.end(
    interrupts.length > 0 ? { status: 'interrupted', interrupts } : { status: 'success' },
  )
  const events = [...started, ...snapshots(input, version, thread, new Set()), ...ended]
  return { batch: { events, position: thread?.position ?? 0 }, run: null }
}

async function attach(options: OpenThread, thread: ThreadState, run_id: string): Promise<Opening> {
  const { threads, input, version, cursor, signal } = options
  const begin = thread.trace_position ?? 0
  const after = cursor !== null && cursor.position < begin ? 0 : begin
  const entries = await entriesAfter(threads, input.threadId, after, signal)
  const first = entries.findIndex(({ envelope }) => envelope.run_id === run_id)
  const translator = translatorAt(first === -1 ? entries : entries.slice(0, first), {
    thread_id: input.threadId,
    ...(version !== undefined && { version }),
    known: thread.messages.map((message) => message.id),
    hasFiles: hasFiles(clientState(thread.values)),
  })
  const started = translator.begin(run_id)
  const missed: Event[] = []
  const seen = cursor?.position ?? 0
  for (const { position, envelope } of entries) {
    if (envelope.run_id !== run_id) continue
    // What a client that resumes has seen is translated for the translator's state only.
    const events = translator.push(envelope)
    if (position > seen) missed.push(...events)
  }
  const position = entries.at(-1)?.position ?? after
  const isOver = translator.state().phase === 'over'
  const brought = isOver ? await withFinalMessages(threads, input.threadId, translator, missed) : missed
  const shown = cursor === null ? [...started, ...snapshots(input, version, thread, idsIn(missed))] : []
  const events = [...shown, ...joinDeltas(brought)]
  return { batch: { events, position }, run: isOver ? null : { run_id, translator } }
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
    { type: EventType.STATE_SNAPSHOT, snapshot: clientState(thread?.values ?? null) },
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
