import { randomUUID } from 'node:crypto'
import { type Envelope, isRecord } from '@clewline/core'
import { createLedger, type Draft } from '@clewline/core/source'
import { endPlay, isBusy } from './end-play.ts'
import { play } from './play-recorded.ts'
import { newPlay, type PlayState } from './play-state.ts'
import { readCallback } from './read-callbacks.ts'
import { readStreamChunks } from './read-stream-chunks.ts'
import { readStreamEvents } from './read-stream-events.ts'
import type { Recorded } from './recorded.ts'
import { type SubagentOptions, subagentTools } from '../subagent-tools.ts'
import { serverEvent } from './server-event.ts'

/** Identity and settings that a recorded stream does not carry. */
export interface AdaptOptions extends SubagentOptions {
  /** Name of the graph. Default: what the stream calls it, or `graph`. */
  readonly label?: string
  /** Default: a new id each. */
  readonly trace_id?: string
  readonly run_id?: string
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Called with the number (1, 2, 3 …) of each event that is of no known form. The first of them is also a `warning`. */
  readonly onUnreadable?: (event: number) => void
}

/**
 * A recorded or remote LangGraph stream as envelopes: `streamEvents` v2 objects, `[namespace, mode, chunk]` tuples of
 * `stream()`, events of a LangGraph API server, or serialised callbacks. The result keeps every rule of `verify`; what
 * the stream cannot say is recovered where it can be, and a `warning` says so.
 */
export async function* adapt(
  events: AsyncIterable<unknown> | Iterable<unknown>,
  options: AdaptOptions = {},
): AsyncGenerator<Envelope> {
  const isSubagent = subagentTools(options)
  const readers = [readStreamEvents(isSubagent), readStreamChunks(isSubagent), readCallback]
  const { trace_id = randomUUID(), run_id = randomUUID(), now } = options
  const ledger = createLedger({ trace_id, run_id, ...(now !== undefined && { now }) })
  let out: Envelope[] = []
  let state: PlayState | null = null
  let isChunks = false

  const start = (name: string): PlayState =>
    newPlay({ label: options.label ?? name, isSubagent, isOpen: (path) => ledger.isOpen(path) })

  async function advance(before: PlayState, recorded: Recorded): Promise<PlayState> {
    const [next, drafts] = await play(before, recorded)
    stamp(drafts)
    return next
  }

  function stamp(drafts: readonly Draft[]): void {
    for (const draft of drafts) out.push(...ledger.stamp(draft))
  }

  let index = 0
  for await (const line of events) {
    index += 1
    let isRead = false
    try {
      const event = serverEvent(line)
      if (event === undefined) continue
      const read = readers.reduce<readonly Recorded[] | null>((found, reader) => found ?? reader(event), null)
      isChunks ||= read !== null && (Array.isArray(event) || (isRecord(event) && 'mode' in event))
      const recorded = read ?? endOf(event) ?? []
      state ??= start(nameIn(recorded))
      for (const one of recorded) state = await advance(state, one)
      isRead = read !== null || recorded.length > 0
    } catch {
      // A getter threw, or a field is of a kind that no stream of LangGraph has.
    }
    if (!isRead) {
      options.onUnreadable?.(index)
      state = await advance(state ?? start('graph'), unreadable(index))
    }
    yield* out
    out = []
  }
  if (state === null) return
  const [, drafts] = await endPlay(state, { isComplete: isChunks && !isBusy(state) })
  stamp(drafts)
  yield* out
}

function nameIn(recorded: readonly Recorded[]): string {
  const start = recorded.find((one) => one.type === 'chain_start')
  return start === undefined || start.name === '' ? 'graph' : start.name
}

/** A line that is no event, but the error that ended the stream. */
function endOf(event: unknown): readonly Recorded[] | null {
  const error = isRecord(event) ? (event['THROWN'] ?? event['error']) : undefined
  return error === undefined ? null : [{ type: 'failure', error }]
}

const unreadable = (index: number): Recorded => ({
  type: 'warning',
  code: 'unreadable-event',
  message: `Event ${index} is not of a form that LangGraph streams have; it was left out.`,
})
