import type { SettledRun, Threads } from '../threads.ts'
import type { Translator } from '../translate/create-translator.ts'
import type { RunEnding } from '../translate/run-boundary.ts'
import type { Batch } from './encode.ts'
import { keptMessages } from './kept-messages.ts'

export interface FollowRun {
  readonly threads: Threads
  readonly thread_id: string
  readonly run_id: string
  readonly after: number
  readonly translator: Translator
  readonly signal: AbortSignal
}

/** What a run does from `after` on, to its end. The log says when it ends by itself; `settled` says the rest. */
export async function* followRun(options: FollowRun): AsyncGenerator<Batch> {
  const { threads, thread_id, run_id, translator, signal } = options
  const reading = new AbortController()
  const either = AbortSignal.any([signal, reading.signal])
  let position = options.after
  let settled: SettledRun | undefined

  const settling = threads.settled(thread_id, run_id, either).then(
    (run) => {
      settled = run
      if (position >= run.position) reading.abort()
    },
    (error: unknown) => {
      if (either.aborted) return
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      settled = { status: 'error', position, error: { name, message } }
      reading.abort()
    },
  )
  try {
    for await (const entry of threads.read(thread_id, { after: position, follow: true, signal: either })) {
      position = entry.position
      if (entry.envelope.run_id === run_id) {
        const events = translator.push(entry.envelope)
        const isOver = translator.state().phase === 'over'
        if (events.length > 0)
          yield { events: isOver ? await keptMessages(options, events) : events, position }
        if (isOver) return
      }
      if (settled !== undefined && position >= settled.position) break
    }
    if (signal.aborted) return
    await settling
    if (settled === undefined) return
    yield { events: translator.end(await endingOf(options, settled)), position }
  } finally {
    reading.abort()
  }
}

async function endingOf(
  { threads, thread_id, translator }: FollowRun,
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
