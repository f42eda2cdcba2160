import { ClewlineError } from '@clewline/core'
import { describe, expect, it } from 'vitest'
import { createClient, type Client } from './create-client.ts'

const thread = {
  thread_id: 't',
  title: null,
  agent: 'research',
  status: 'idle',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  position: 3,
  metadata: {},
}

function answering(body: string, status = 200): Client {
  return createClient({ fetch: () => Promise.resolve(new Response(body, { status })) })
}

describe('a client', () => {
  it('takes what it knows, also from a server that says more', async () => {
    expect(await answering(JSON.stringify({ ...thread, later: true })).threads.get('t')).toEqual(thread)
    const page = { threads: [thread], next: null }
    expect(await answering(JSON.stringify(page)).threads.list()).toEqual(page)
  })

  it.each([
    ['a page of another server', '<!doctype html>'],
    ['a list without its name', JSON.stringify([thread])],
    [
      'a thread without an id',
      JSON.stringify({ threads: [{ ...thread, thread_id: undefined }], next: null }),
    ],
    ['a status that is none', JSON.stringify({ threads: [{ ...thread, status: 'asleep' }], next: null })],
  ])('says that an answer is not one instead of passing it on: %s', async (_, body) => {
    await expect(answering(body).threads.list()).rejects.toMatchObject({
      name: 'ClewlineError',
      code: 'unsupported',
      message: expect.stringContaining('/api/threads'),
      hint: expect.stringContaining('Clewline server'),
    })
  })

  const stranger = expect.stringContaining('check the URL')
  it.each([
    [
      'its own words',
      404,
      JSON.stringify({ error: { code: 'not-found', message: 'No thread "t".', hint: 'List them.' } }),
      { code: 'not-found', message: 'No thread "t".', hint: 'List them.' },
    ],
    [
      'its own words, with a code of a later version',
      503,
      JSON.stringify({ error: { code: 'on-holiday', message: 'Not now.', hint: 'Wait.' } }),
      { code: 'unavailable', message: 'Not now.', hint: 'Wait.' },
    ],
    [
      'its own words, when there was too much',
      429,
      JSON.stringify({ error: { code: 'rate-limited', message: 'Too many.', hint: 'Wait.' } }),
      { code: 'rate-limited', message: 'Too many.', hint: 'Wait.' },
    ],
    [
      'the words of a proxy',
      404,
      '<h1>Bad gateway</h1>',
      { code: 'unsupported', message: 'The server answered 404: <h1>Bad gateway</h1>', hint: stranger },
    ],
    ['the words of a proxy that has no server', 502, '', { code: 'unavailable', hint: stranger }],
    ['the words of a proxy that asks for a login', 401, 'Who?', { code: 'unauthorized', hint: stranger }],
  ])('throws a refusal in %s', async (_, status, body, error) => {
    const refused = answering(body, status).threads.get('t')
    await expect(refused).rejects.toBeInstanceOf(ClewlineError)
    await expect(refused).rejects.toMatchObject(error)
  })

  it.each([
    [undefined, 'The server cannot be reached.'],
    ['http://there/', 'No Clewline answers at http://there.'],
  ])('is unavailable, with what to do, when the server at %s is not', async (url, message) => {
    const client = createClient({
      ...(url !== undefined && { url }),
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    })
    await expect(client.info()).rejects.toMatchObject({
      code: 'unavailable',
      message,
      hint: expect.stringContaining('npx clewline start'),
      cause: expect.any(TypeError),
    })
  })

  it('is unavailable, not wrong, when the connection is lost in the middle of an answer', async () => {
    const broken = new ReadableStream({ pull: (it) => it.error(new TypeError('terminated')) })
    const client = createClient({ fetch: () => Promise.resolve(new Response(broken)) })
    await expect(client.info()).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('asks for its token before each request, and for ids as they are', async () => {
    const asked: [string, string | null][] = []
    let token: string | null = null
    const client = createClient({
      url: 'http://there/base/',
      token: () => token,
      fetch: (input, init) => {
        asked.push([
          input instanceof Request ? input.url : input.toString(),
          new Headers(init?.headers).get('authorization'),
        ])
        return Promise.resolve(Response.json({ runs: [] }))
      },
    })
    await client.runs.list('a/b')
    token = 'secret'
    await client.runs.unfinished('pending', { limit: 5 })
    expect(asked).toEqual([
      ['http://there/base/api/threads/a%2Fb/runs', null],
      ['http://there/base/api/runs?status=pending&limit=5', 'Bearer secret'],
    ])
  })

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['runs.cancel', (client) => client.runs.cancel('t', '..')],
    ['runs.get', (client) => client.runs.get('..', 'r')],
    ['threads.delete', (client) => client.threads.delete('.')],
    ['threads.get', (client) => client.threads.get('')],
    ['crons.delete', (client) => client.crons.delete('..')],
    ['follow', (client) => client.follow('..')[Symbol.asyncIterator]().next()],
  ])('asks for nothing else when an id would change the path: %s', async (_, call) => {
    const asked: unknown[] = []
    const fetch = (input: unknown): Promise<Response> => {
      asked.push(input)
      return Promise.resolve(Response.json({}))
    }
    await expect(call(createClient({ url: 'http://there', fetch }))).rejects.toMatchObject({
      code: 'bad-request',
    })
    expect(asked).toEqual([])
  })

  it.each(['localhost:8123', 'there', 'http://', 'ftp://there'])(
    'refuses a URL that no request can go to, instead of trying for ever: %s',
    (url) => {
      expect(() => createClient({ url })).toThrow(expect.objectContaining({ code: 'bad-request' }))
    },
  )

  it('asks for a URL where there is no page to take it from', async () => {
    await expect(createClient().info()).rejects.toMatchObject({ code: 'bad-request' })
    await expect(createClient({ url: '/base' }).info()).rejects.toMatchObject({ code: 'bad-request' })
  })

  it('does not show a token that cannot be sent', async () => {
    const client = createClient({ url: 'http://there', token: 'sec\nret' })
    await expect(client.info()).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.not.stringContaining('sec'),
    })
  })

  it('rejects with the reason of a signal that aborts in the middle of a refusal', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const body = new ReadableStream({
      start: (it) => stop.signal.addEventListener('abort', () => it.error(reason)),
    })
    const client = createClient({ fetch: () => Promise.resolve(new Response(body, { status: 500 })) })
    const asked = client.info({ signal: stop.signal })
    setTimeout(() => stop.abort(reason))
    await expect(asked).rejects.toBe(reason)
  })

  it('rejects with the reason of a signal that aborts', async () => {
    const stop = new AbortController()
    const client = createClient({
      fetch: (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
        ),
    })
    const asked = client.info({ signal: stop.signal })
    stop.abort()
    await expect(asked).rejects.toBe(stop.signal.reason)
  })
})
