import { AbstractAgent } from '@ag-ui/client'
import type { Event, Message } from '@ag-ui/core'
import type { Entry } from '@clewline/core'
import fc from 'fast-check'
import { from } from 'rxjs'
import type { Observable } from 'rxjs'
import { expect, test } from 'vitest'
import { anyLog } from '../testing/any-log.ts'
import { judge } from '../testing/judge.ts'
import type { Threads } from '../threads.ts'
import { openThread } from './open-thread.ts'
import type { Cursor } from './open-thread.ts'
import { parseInput } from './parse-input.ts'
import { streamEvents } from './stream-events.ts'
import type { Batch } from './stream-events.ts'

/** A client that is given events from memory. */
class Listener extends AbstractAgent {
  readonly events: readonly Event[]

  constructor(events: readonly Event[]) {
    super({ threadId: 't' })
    this.events = events
  }

  run(): Observable<Event> {
    return from(this.events)
  }
}

/** A thread whose log is at `now` when it is asked, and goes on to its end when it is followed, in arrays of `size`. */
function threadAt(entries: readonly Entry[], now: number, run_id: string, size: number): Threads {
  const refuse = (): never => {
    throw new Error('not in this test')
  }
  return {
    start: refuse,
    cancel: refuse,
    describe: refuse,
    async *read(_thread, { after, follow }) {
      const found = entries.filter(({ position }) => position > after && (follow || position <= now))
      for (let at = 0; at < found.length; at += size) yield found.slice(at, at + size)
    },
    state: () =>
      Promise.resolve({
        values: {},
        messages: [],
        interrupts: [],
        status: 'busy',
        position: now,
        active_run: run_id,
      }),
    settled: () => Promise.resolve({ status: 'interrupted', position: entries.length }),
  }
}

async function batchesFrom(
  entries: readonly Entry[],
  now: number,
  run_id: string,
  size: number,
  cursor: Cursor | null = null,
): Promise<Batch[]> {
  const batches: Batch[] = []
  const input = parseInput({ threadId: 't' }, () => 'r')
  const { signal } = new AbortController()
  const threads = threadAt(entries, now, run_id, size)
  const open = () => openThread({ threads, input, version: '1.0', cursor, signal })
  for await (const batch of streamEvents({ threads, thread_id: 't', signal, open })) batches.push(batch)
  return batches
}

async function seen(batches: readonly Batch[]): Promise<Message[]> {
  const events = batches.flatMap((batch) => batch.events)
  await judge(events)
  const client = new Listener(events)
  await client.runAgent({})
  return client.messages
}

/** A log, its last run, where that begins, and a moment in it. */
const moment = fc.tuple(anyLog(2), fc.nat(), fc.integer({ min: 1, max: 9 })).map(([envelopes, at, size]) => {
  const entries = envelopes.map((envelope, index) => ({ position: index + 1, envelope }))
  const run_id = envelopes.at(-1)?.run_id ?? ''
  const first = envelopes.findIndex((envelope) => envelope.run_id === run_id)
  return { entries, run_id, first, size, now: first + (at % (envelopes.length - first + 1)) }
})

test('whenever a client attaches to a run, it ends with the messages of one that was there from the start', async () => {
  const holds = fc.assert(
    fc.asyncProperty(moment, async ({ entries, run_id, first, now, size }) => {
      const late = await seen(await batchesFrom(entries, now, run_id, size))
      expect(late).toEqual(await seen(await batchesFrom(entries, first, run_id, 1)))
    }),
    { numRuns: 150 },
  )
  await expect(holds).resolves.toBeUndefined()
})

test('wherever a client is cut off, its cursor brings the rest and nothing twice', async () => {
  const holds = fc.assert(
    fc.asyncProperty(moment, async ({ entries, run_id, first, now, size }) => {
      const whole = await batchesFrom(entries, first, run_id, size)
      const before = whole.filter((batch) => batch.position <= now)
      fc.pre(before.length > 0 && before.length < whole.length)
      const position = before.at(-1)?.position ?? 0
      const rest = await batchesFrom(entries, now, run_id, size, { run_id, position })
      expect(await seen([...before, ...rest])).toEqual(await seen(whole))
    }),
    { numRuns: 150 },
  )
  await expect(holds).resolves.toBeUndefined()
})
