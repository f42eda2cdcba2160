import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Entry } from '@clewline/core'
import { publicError } from '@clewline/core/http'
import type { SettledRun, Threads } from '../threads.ts'
import type { Translator } from '../translate/create-translator.ts'
import type { RunEnding } from '../translate/run-boundary.ts'
import { joinDeltas } from './join-deltas.ts'
import { withFinalMessages } from './with-final-messages.ts'

/** Events that belong together, and the log position that the client has reached with them. */
export interface Batch {
  readonly events: readonly Event[]
  readonly position: number
}

/** How a stream begins. */
export interface Opening {
  /** What the client gets at once; empty for one that resumes and has missed nothing. */
  readonly batch: Batch
  /** The run that the stream follows from there to its end; null when the batch is all. */
  readonly run: { readonly run_id: string; readonly translator: Translator } | null
}

export interface StreamEvents {
  readonly threads: Threads
  readonly thread_id: string
  readonly signal: AbortSignal
  readonly open: () => Promise<Opening>
}

/**
 * A whole stream: its opening, then a batch for each array of entries that the log yields, to the run's end. The log says
 * when a run ends by itself; `settled` says the rest. A failure on our side ends the stream in a RUN_ERROR, not in a lost
 * connection. The only generator between the log and the transport: each further one would cost promises per token.
 */
export async function* streamEvents(options: StreamEvents): AsyncGenerator<Batch> {
  const { threads, thread_id, signal } = options
  const reading = new AbortController()
  const either = AbortSignal.any([signal, reading.signal])
  let position = 0
  try {
    const { batch, run } = await options.open()
    position = batch.position
    if (batch.events.length > 0) yield batch
    if (run === null) return
    const { run_id, translator } = run

    let settled: SettledRun | undefined
    const settling = settledOrFailed(threads, thread_id, run_id, either).then((known) => {
      settled = known
      if (known !== undefined && position >= known.position) reading.abort()
    })
    for await (const entries of threads.read(thread_id, { after: position, follow: true, signal: either })) {
      const events: Event[] = []
      position = translateInto(events, entries, run) ?? position
      const isOver = translator.state().phase === 'over'
      if (events.length > 0) {
        const joined = joinDeltas(events)
        yield {
          events: isOver ? await withFinalMessages(threads, thread_id, translator, joined) : joined,
          position,
        }
      }
      if (isOver) return
      if (settled !== undefined && position >= settled.position) break
    }
    if (signal.aborted) return
    await settling
    if (settled === undefined) return
    yield { events: translator.end(await endingOf(options, translator, settled)), position }
  } catch (error) {
    if (signal.aborted) return
    const { code, message, hint } = publicError(error)
    yield { events: [{ type: EventType.RUN_ERROR, code, message: `${message} ${hint}` }], position }
  } finally {
    reading.abort()
  }
}

/** Appends the events of the run's own entries; returns the position of the last entry that was read. */
function translateInto(
  events: Event[],
  entries: readonly Entry[],
  { run_id, translator }: NonNullable<Opening['run']>,
): number | undefined {
  for (const { position, envelope } of entries) {
    if (envelope.run_id !== run_id) continue
    for (const event of translator.push(envelope)) events.push(event)
    if (translator.state().phase === 'over') return position
  }
  return entries.at(-1)?.position
}

/** A run whose end cannot be learned ends here, as failed: position 0 is always reached. Undefined when the signal aborts. */
async function settledOrFailed(
  threads: Threads,
  thread_id: string,
  run_id: string,
  signal: AbortSignal,
): Promise<SettledRun | undefined> {
  try {
    return await threads.settled(thread_id, run_id, signal)
  } catch (error) {
    if (signal.aborted) return undefined
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return { status: 'error', position: 0, error: { name, message } }
  }
}

async function endingOf(
  { threads, thread_id }: StreamEvents,
  translator: Translator,
  settled: SettledRun,
): Promise<RunEnding> {
  switch (settled.status) {
    case 'success':
      return { status: 'success' }
    case 'cancelled':
      return { status: 'cancelled' }
    case 'error':
      return { status: 'error', ...(settled.error ?? { name: 'error', message: 'The run failed.' }) }
    case 'interrupted': {
      // The thread knows what is still asked, also from earlier runs; the stream knows who asked.
      const raised = translator.state().interrupts
      const open = (await threads.state(thread_id))?.interrupts ?? []
      const owners = new Map(raised.map((one) => [one.id, one.owner]))
      const interrupts = open.map((one) => ({ ...one, owner: owners.get(one.id) ?? null }))
      return { status: 'interrupted', interrupts: interrupts.length > 0 ? interrupts : raised }
    }
  }
}
