import { expect, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { type Service, startService } from '../testing/start-service.ts'

const SECRET = 'the launch code is 4711'
const ALICE = { thread: 'thread-of-alice', run: 'run-of-alice' }
const MISSING = { thread: 'thread-of-no-one', run: 'run-of-no-one' }
/** The name of a part is the hash of its value. */
const PART = 'BZTiJYegXKRawuRx_D2f1tIs1kWpGxrDJouEyks8iUE'
const NO_CRON = '00000000-0000-4000-8000-000000000000'

interface Names {
  readonly thread: string
  readonly run: string
  readonly cron: string
}

interface Line {
  /**
   * `hidden`: what is Alice's is answered to Bob as what is missing is, byte for byte. `taken`: an id of Alice's that Bob
   * would make something of is answered as a missing thread, or run, is. `open`: nothing of Alice's is in what Bob gets.
   */
  readonly kind: 'hidden' | 'taken' | 'open'
  readonly path?: (names: Names) => string
  readonly body?: (names: Names) => unknown
}

const input = userSays('hi')
const agui = ({ thread, run }: Names) => ({ threadId: thread, runId: `${run}-new`, messages: [] })

/** Every route of the app, as Bob calls it. A route that is not here fails the test below. */
const TABLE: Readonly<Record<string, Line>> = {
  'GET /ok': { kind: 'open' },
  'GET /ready': { kind: 'open' },
  'GET /info': { kind: 'open' },
  'GET /metrics': { kind: 'open' },
  'GET /api/agents': { kind: 'open' },
  'GET /api/threads': { kind: 'open', path: () => '/api/threads?query=alice' },
  'GET /api/runs': { kind: 'open', path: () => '/api/runs?status=pending&inputs=true' },
  'GET /api/crons': { kind: 'open' },
  // It goes on for ever: by itself, below.
  'GET /api/events': { kind: 'open', path: () => '/ok' },
  'POST /api/threads': { kind: 'taken', body: ({ thread }) => ({ thread_id: thread }) },
  'POST /api/threads/import': {
    kind: 'taken',
    path: ({ thread }) => `/api/threads/import?thread_id=${thread}`,
    body: () => '',
  },
  'GET /api/threads/{thread}': { kind: 'hidden' },
  'PATCH /api/threads/{thread}': { kind: 'hidden', body: () => ({ title: 'mine' }) },
  'DELETE /api/threads/{thread}': { kind: 'hidden' },
  'GET /api/threads/{thread}/state': { kind: 'hidden' },
  'PATCH /api/threads/{thread}/state': { kind: 'hidden', body: () => ({ values: { messages: [] } }) },
  'GET /api/threads/{thread}/checkpoints': { kind: 'hidden' },
  'POST /api/threads/{thread}/fork': { kind: 'hidden', body: () => ({}) },
  'GET /api/threads/{thread}/export': { kind: 'hidden' },
  'GET /api/threads/{thread}/events': { kind: 'hidden' },
  'GET /api/threads/{thread}/parts': {
    kind: 'hidden',
    path: ({ thread }) => `/api/threads/${thread}/parts?names=${PART}`,
  },
  'GET /api/threads/{thread}/parts/{name}': {
    kind: 'hidden',
    path: ({ thread }) => `/api/threads/${thread}/parts/${PART}`,
  },
  'GET /api/threads/{thread}/runs': { kind: 'hidden' },
  'POST /api/threads/{thread}/runs': {
    kind: 'hidden',
    body: ({ run }) => ({ agent: 'chat', input, run_id: run }),
  },
  'GET /api/threads/{thread}/runs/{run}': { kind: 'hidden' },
  'POST /api/threads/{thread}/runs/{run}/cancel': { kind: 'hidden' },
  'POST /api/threads/{thread}/cancel': { kind: 'hidden' },
  'POST /api/crons': {
    kind: 'hidden',
    body: ({ thread }) => ({ schedule: '* * * * *', agent: 'chat', input, thread }),
  },
  'DELETE /api/crons/{cron}': { kind: 'hidden' },
  'POST /agui/{agent}': { kind: 'taken', body: agui },
  // A thread that is missing is an empty one to AG-UI, and so is another's.
  'POST /agui/{agent}/connect': { kind: 'hidden', body: agui },
  'GET /agui/{agent}/capabilities': { kind: 'open' },
}

const as = (user: string) => ({ 'x-user': user })

async function start(limits?: object): Promise<Service> {
  return await startService({
    agents: { chat: chatGraph(() => ({ text: SECRET })) },
    authenticate(request) {
      const id = request.headers.get('x-user')
      return id === null ? null : { id }
    },
    ...(limits === undefined ? {} : { limits }),
  })
}

async function fillFor(service: Service): Promise<Names> {
  const { call, clewline } = service
  const alice = as('alice')
  await call('POST', '/api/threads', { thread_id: ALICE.thread, metadata: { SECRET } }, alice)
  const run = { agent: 'chat', input: userSays(SECRET), run_id: ALICE.run }
  await call('POST', `/api/threads/${ALICE.thread}/runs`, run, alice)
  await expect.poll(async () => (await clewline.runs.get(ALICE.thread, ALICE.run)).status).toBe('success')
  const later = { agent: 'chat', input: userSays(SECRET), after_seconds: 3_600 }
  await call('POST', `/api/threads/${ALICE.thread}/runs`, later, alice)
  const cron = { schedule: '0 0 1 1 *', agent: 'chat', input: userSays(SECRET), thread: ALICE.thread }
  const { body } = await call('POST', '/api/crons', cron, alice)
  return { ...ALICE, cron: String(body['cron_id']) }
}

/** All that Alice has, as she sees it. */
async function everythingOf({ call }: Service, { thread, run }: Names): Promise<unknown> {
  const paths = ['', '/state', '/export', '/runs?inputs=true', '/checkpoints', `/runs/${run}`]
  const seen = paths.map(
    async (path) => (await call('GET', `/api/threads/${thread}${path}`, undefined, as('alice'))).body,
  )
  return [...(await Promise.all(seen)), (await call('GET', '/api/crons', undefined, as('alice'))).body]
}

/** A reply without what each has of its own: the names that were asked for, and the time. */
function comparable({ status, headers, body }: Awaited<ReturnType<Service['call']>>, names: Names): unknown {
  let text = JSON.stringify(body)
  for (const name of ['thread', 'run', 'cron'] as const) text = text.replaceAll(names[name], `<${name}>`)
  const kept = [...headers].filter(([name]) => name !== 'date' && name !== 'content-length')
  return { status, text: text.replaceAll(/"timestamp":\d+/g, '"timestamp":0'), headers: kept }
}

test('every route has a line in the table of two tenants', async () => {
  const { call } = await start()
  const paths = (await call('GET', '/openapi.json')).body['paths'] as Record<string, object>
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(Object.keys(TABLE).toSorted()).toEqual(routes.toSorted())
})

test('of two tenants, on every route, neither reads, changes nor learns of what is the other’s', async () => {
  const service = await start()
  const alice = await fillFor(service)
  const missing: Names = { ...MISSING, cron: NO_CRON }
  const before = await everythingOf(service, alice)

  const ask = (route: string, { path, body }: Line, names: Names) => {
    const [method = '', template = ''] = route.split(' ')
    const filled = template
      .replace('{agent}', 'chat')
      .replace(/\{(thread|run|cron)\}/g, (_, name: keyof Names) => names[name])
    const headers = {
      ...as('bob'),
      ...(template.endsWith('import') && { 'content-type': 'application/x-ndjson' }),
    }
    return service.call(method, path?.(names) ?? filled, body?.(names), headers)
  }

  for (const [route, line] of Object.entries(TABLE)) {
    const reply = await ask(route, line, alice)
    expect(JSON.stringify(reply.body), route).not.toMatch(/4711|"alice"/)
    switch (line.kind) {
      case 'open':
        expect(JSON.stringify(reply.body), route).not.toContain('alice')
        break
      case 'hidden':
        expect({ route, ...Object(comparable(reply, alice)) }).toEqual({
          route,
          ...Object(comparable(await ask(route, line, missing), missing)),
        })
        break
      case 'taken': {
        const absent = await ask('GET /api/threads/{thread}', { kind: 'hidden' }, missing)
        expect({ route, ...Object(comparable(reply, alice)) }).toEqual({
          route,
          ...Object(comparable(absent, missing)),
        })
        break
      }
    }
  }
  expect(await everythingOf(service, alice)).toEqual(before)
})

test('a fork, or a run, that would take an id of the other is answered as if it were of something missing', async () => {
  const service = await start()
  await fillFor(service)
  const bob = as('bob')
  await service.call('POST', '/api/threads', { thread_id: 'of-bob' }, bob)
  const { body } = await service.call('POST', '/api/threads/of-bob/runs', { agent: 'chat', input }, bob)
  await expect
    .poll(async () => (await service.clewline.runs.get('of-bob', String(body['run_id']))).status)
    .toBe('success')
  const fork = await service.call('POST', '/api/threads/of-bob/fork', { thread_id: ALICE.thread }, bob)
  expect(fork.body).toEqual((await service.call('GET', `/api/threads/${ALICE.thread}`, undefined, bob)).body)
  const run = { agent: 'chat', input, run_id: ALICE.run }
  const taken = await service.call('POST', '/api/threads/of-bob/runs', run, bob)
  const absent = await service.call('GET', `/api/threads/of-bob/runs/${MISSING.run}`, undefined, bob)
  expect([fork.status, taken.status]).toEqual([404, 404])
  expect(JSON.stringify(taken.body).replaceAll(ALICE.run, MISSING.run)).toBe(JSON.stringify(absent.body))
})

test('what changes is told to its owner only', async () => {
  const { call, url } = await start()
  const left = new AbortController()
  const response = await fetch(`${url}/api/events`, { headers: as('bob'), signal: left.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (const user of ['alice', 'bob']) {
    await call('POST', '/api/threads', { thread_id: `of-${user}` }, as(user))
    const later = { agent: 'chat', input, after_seconds: 3_600 }
    await call('POST', `/api/threads/of-${user}/runs`, later, as(user))
    await call('DELETE', `/api/threads/of-${user}`, undefined, as(user))
  }
  let text = ''
  while (!text.includes('"removed"')) text += (await reader.read()).value ?? ''
  left.abort()
  expect(text).toContain('of-bob')
  expect(text).not.toContain('alice')
})

test('a flood from one tenant is refused, and the other does not notice', async () => {
  const { call } = await start({ pending: 3, crons: 2, requestsPerSecond: 40 })
  const later = { agent: 'chat', input, after_seconds: 3_600 }
  const cron = { schedule: '0 0 1 1 *', agent: 'chat', input }
  const statuses = async (user: string, count: number): Promise<Set<number>> => {
    const of: Promise<{ status: number }>[] = []
    for (let i = 0; i < count; i++) {
      of.push(
        call('POST', `/api/threads/of-${user}/runs`, later, as(user)),
        call('POST', '/api/crons', cron, as(user)),
      )
    }
    return new Set((await Promise.all(of)).map(({ status }) => status))
  }
  for (const user of ['alice', 'bob'])
    await call('POST', '/api/threads', { thread_id: `of-${user}` }, as(user))
  expect(await statuses('alice', 60)).toContain(429)
  expect(await statuses('bob', 1)).toEqual(new Set([202, 201]))
  expect((await call('GET', '/api/threads', undefined, as('bob'))).status).toBe(200)
})
