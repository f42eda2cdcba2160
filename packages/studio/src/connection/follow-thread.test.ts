import type { Entry } from '@clewline/core'
import { describe, expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { createApi } from './api.ts'
import { followThread } from './follow-thread.ts'
import type { ConnectionStatus } from './keep-reading.ts'

const entries = recording({ agents: 1, tokens: 10 })

/** A server that breaks off after `cuts[n]` entries at the nth connection. */
function breaking(cuts: readonly number[]): { fetch: typeof fetch; asked: number[] } {
  const asked: number[] = []
  return {
    asked,
    fetch: (input) => {
      const after = Number(
        new URL(input instanceof Request ? input.url : input, 'http://x').searchParams.get('after'),
      )
      const count = cuts[asked.length] ?? entries.length
      asked.push(after)
      const sent = entries.slice(after, after + count)
      const text = sent
        .map(({ position, envelope }) => `id: ${position}\ndata: ${JSON.stringify(envelope)}\n\n`)
        .join('')
      return Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }))
    },
  }
}

async function follow(
  fetcher: typeof fetch,
  until: number,
): Promise<{ got: Entry[]; statuses: ConnectionStatus['is'][] }> {
  const got: Entry[] = []
  const statuses: ConnectionStatus['is'][] = []
  const stopping = new AbortController()
  await followThread(createApi({ fetch: fetcher }), {
    thread: 't',
    profile: 'debug',
    signal: stopping.signal,
    after: () => got.at(-1)?.position ?? 0,
    problem: (message) => expect.fail(message),
    status: ({ is }) => statuses.push(is),
    entries(batch) {
      got.push(...batch)
      if (got.length >= until) stopping.abort()
    },
  })
  return { got, statuses }
}

describe('followThread', () => {
  it('goes on after the last position when the line breaks, without a gap or a duplicate', async () => {
    const server = breaking([7, 5])
    const { got, statuses } = await follow(server.fetch, entries.length)
    expect(got).toEqual(entries)
    expect(server.asked).toEqual([0, 7, 12])
    expect(statuses).toEqual(['connecting', 'live', 'retrying', 'live', 'retrying', 'live'])
  })

  it('gives up on what trying again would not help, and says why', async () => {
    const statuses: ConnectionStatus[] = []
    const gone: typeof fetch = () =>
      Promise.resolve(
        Response.json(
          { error: { code: 'not-found', message: 'No thread "t".', hint: 'List them.' } },
          { status: 404 },
        ),
      )
    await followThread(createApi({ fetch: gone }), {
      thread: 't',
      profile: 'user',
      signal: new AbortController().signal,
      after: () => 0,
      entries: () => undefined,
      problem: () => undefined,
      status: (status) => statuses.push(status),
    })
    expect(statuses.at(-1)).toEqual({ is: 'refused', status: 404, why: 'No thread "t".', hint: 'List them.' })
  })
})
