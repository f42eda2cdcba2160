import { createClient } from '@clewline/client'
import type { Entry } from '@clewline/core'
import { createTimeline } from '@clewline/core/view'
import { expect, it, onTestFinished } from 'vitest'
import { recording } from '../testing/recording.ts'
import { threadSession } from './thread-session.ts'

const entries = recording({ agents: 1, tokens: 10 })
const frame = ({ position, envelope }: Entry): string =>
  `id: ${position}\ndata: ${JSON.stringify(envelope)}\n\n`

/** A server whose first connection breaks off after 20 entries, and whose second brings the last five of them again. */
function breaking(): typeof fetch {
  let connections = 0
  return (input) => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://x')
    if (!url.pathname.endsWith('/events')) return Promise.resolve(new Response(null, { status: 503 }))
    const sent = connections++ === 0 ? entries.slice(0, 20) : entries.slice(15)
    const headers = { 'content-type': 'text/event-stream' }
    return Promise.resolve(new Response(sent.map(frame).join(''), { headers }))
  }
}

it('shows a thread across a lost connection, and counts what came twice', async () => {
  const session = threadSession(createClient({ fetch: breaking() }), 't', 'debug')
  onTestFinished(session.start())
  const { store } = session
  await expect.poll(() => store.getState().length).toBe(entries.length)
  expect(store.getState().view).toEqual(createTimeline(entries).latest())
  expect(store.getState().intake).toMatchObject({ duplicates: 5, missing: 0, problemCount: 0 })
})

it('gives up on what asking again would not change, and says why', async () => {
  const problem = { code: 'not-found', message: 'No thread "t".', hint: 'List them.' }
  const gone: typeof fetch = () => Promise.resolve(Response.json({ error: problem }, { status: 404 }))
  const session = threadSession(createClient({ fetch: gone }), 't', 'user')
  onTestFinished(session.start())
  await expect
    .poll(() => session.store.getState().connection)
    .toEqual({ type: 'refused', code: 'not-found', why: 'No thread "t".', hint: 'List them.' })
})
