import { createClient, type Run, type Thread } from '@clewline/client'
import { expect, it } from 'vitest'
import { createDirectory } from './directory.ts'

const NOW = '2026-01-01T00:00:00.000Z'
const threads = ['alpha', 'beta'].map((title): Thread => ({
  thread_id: title,
  title,
  agent: 'a',
  status: 'idle',
  created_at: NOW,
  updated_at: NOW,
  position: 0,
  metadata: {},
}))
const run: Run = {
  run_id: 'r',
  thread_id: 'beta',
  trace_id: 't',
  agent: 'a',
  priority: 'normal',
  status: 'running',
  kind: 'input',
  created_at: NOW,
  started_at: NOW,
  ended_at: null,
  run_at: NOW,
  attempt: 1,
  position: 0,
  end_position: null,
}

/** A server with two threads that can be searched, and a stream of events to write to. */
function service(): { fetch: typeof fetch; tell: (event: string, data: object) => void } {
  const encoder = new TextEncoder()
  let events: ReadableStreamDefaultController<Uint8Array>
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (events = controller) })
  return {
    tell: (event, data) =>
      events.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)),
    fetch: (input) => {
      const url = new URL(input instanceof Request ? input.url : input, 'http://x')
      const query = url.searchParams.get('query') ?? ''
      const answers: Readonly<Record<string, unknown>> = {
        '/info': {
          name: 'test',
          version: '1',
          agents: 0,
          model: null,
          scripted: true,
          prices: {},
          store: 'sqlite',
          auth: false,
        },
        '/api/agents': { agents: [] },
        '/api/threads': { threads: threads.filter(({ title }) => title?.includes(query)), next: null },
      }
      if (url.pathname === '/api/events')
        return Promise.resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }))
      return Promise.resolve(Response.json(answers[url.pathname]))
    },
  }
}

it('keeps what it knows of a thread up to date that a search has left out, and tells of the end of its run once', async () => {
  const server = service()
  const ended: string[] = []
  const directory = createDirectory(createClient({ fetch: server.fetch }), ({ status }) => ended.push(status))
  const stop = directory.start()
  const listed = (): readonly string[] => directory.getState().threads.map(({ thread_id }) => thread_id)
  await expect.poll(listed).toEqual(['alpha', 'beta'])
  directory.search('alp')
  await expect.poll(listed).toEqual(['alpha'])

  server.tell('thread', { thread: { ...threads[1], status: 'busy' } })
  server.tell('thread', { thread: { ...threads[0], status: 'busy' } })
  await expect.poll(() => directory.getState().known.get('beta')?.status).toBe('busy')
  await expect.poll(() => directory.getState().threads.map(({ status }) => status)).toEqual(['busy'])

  // The page was opened in the middle of the run: its beginning was not heard.
  server.tell('run', { run: { ...run, status: 'success' } })
  server.tell('run', { run: { ...run, status: 'success' } })
  server.tell('cron', {})
  await expect.poll(() => directory.getState().changes).toBe(3)
  expect(ended).toEqual(['success'])
  stop()
})
