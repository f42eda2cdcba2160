import { readdirSync, readFileSync } from 'node:fs'
import { type Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { describe, expect, test } from 'vitest'
import { adapt } from '../adapt/adapt.ts'
import { story } from '../testing/index.ts'
import { normaliseIds } from '../testing/normalise-ids.ts'

const folder = new URL('./samples/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'))

function eventsIn(file: string): readonly unknown[] {
  const lines = readFileSync(new URL(file, folder), 'utf8').split('\n').filter(Boolean)
  return lines.map((line): unknown => JSON.parse(line))
}

async function adapted(events: Iterable<unknown>): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  for await (const envelope of adapt(events)) envelopes.push(envelope)
  return envelopes
}

describe('a recorded stream becomes envelopes that keep every rule', () => {
  test.each(files)('%s', async (file) => {
    const envelopes = await adapted(eventsIn(file))
    expect(verify(envelopes)).toEqual([])
    await expect(normaliseIds(envelopes)).toMatchFileSnapshot(`./adapted/${file}`)
    await expect(`${story(envelopes)}\n`).toMatchFileSnapshot(`./adapted/${file.replace('.jsonl', '.story')}`)
  })
})

describe('so does one of which a part was lost', () => {
  const losses: Record<string, (events: readonly unknown[], at: number) => readonly unknown[]> = {
    'any one event missing': (events, at) => events.toSpliced(at, 1),
    'any one event twice': (events, at) => events.toSpliced(at, 0, events[at]),
    'any two events in the wrong order': (events, at) =>
      events.toSpliced(at, 2, ...events.slice(at, at + 2).toReversed()),
    'its end cut off anywhere': (events, at) => events.slice(0, at),
    'its beginning cut off anywhere': (events, at) => events.slice(at),
  }
  const recordings = ['langgraph-events-v2-interrupt.jsonl', 'langgraph-events-stream-interrupt.jsonl']

  test.each(recordings.flatMap((file) => Object.keys(losses).map((loss) => [file, loss] as const)))(
    '%s with %s',
    async (file, loss) => {
      const events = eventsIn(file)
      for (const at of events.keys()) {
        const envelopes = await adapted(losses[loss]?.(events, at) ?? [])
        expect(verify(envelopes), `at event ${at}`).toEqual([])
      }
    },
  )
})
