import type { Entry } from '@clewline/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../create-client.ts'
import { HEARTBEAT_MS } from '../sse/heartbeat-ms.ts'
import { createIntake } from './intake.ts'
import type { ConnectionStatus } from './follow-events.ts'

const entries = Array.from({ length: 40 }, (_, index): Entry => ({
  position: index + 1,
  envelope: {
    type: 'llm_token',
    ts: 0,
    trace_id: 't',
    run_id: 'r',
    call_id: `call-${index % 3}`,
    parent_id: null,
    seq: Math.floor(index / 3) + 1,
    origin: 'live',
    agent: 'a',
    payload: { text: '.' },
  },
}))

const frame = ({ position, envelope }: Entry): string =>
  `id: ${position}\ndata: ${JSON.stringify(envelope)}\n\n`

const stream = (body: BodyInit): Response =>
  new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })

interface Scripted {
  readonly fetch: typeof fetch
  /** `after` of each connection. */
  readonly asked: number[]
}

/** A server whose nth connection answers with `answers[n]`, and which has everything for the connections after that. */
function scripted(...answers: ((rest: readonly Entry[]) => string | Response)[]): Scripted {
  const asked: number[] = []
  return {
    asked,
    fetch: (input) => {
      const after = Number(
        new URL(input instanceof Request ? input.url : input, 'http://x').searchParams.get('after'),
      )
      const rest = entries.filter(({ position }) => position > after)
      const answer = (answers[asked.length] ?? all)(rest)
      asked.push(after)
      return Promise.resolve(typeof answer === 'string' ? stream(answer) : answer)
    },
  }
}

const all = (rest: readonly Entry[]): string => rest.map(frame).join('')
const first =
  (count: number) =>
  (rest: readonly Entry[]): string =>
    all(rest.slice(0, count))
const refused = (status: number, code: string) => (): Response =>
  Response.json({ error: { code, message: 'No.', hint: 'Do not.' } }, { status })

async function follow(
  server: Scripted,
  options: Parameters<ReturnType<typeof createClient>['follow']>[1] = {},
): Promise<{ got: Entry[]; statuses: ConnectionStatus['type'][] }> {
  const got: Entry[] = []
  const statuses: ConnectionStatus['type'][] = []
  const onStatus = ({ type }: ConnectionStatus): void => void statuses.push(type)
  for await (const batch of createClient(server).follow('t', { onStatus, ...options })) {
    got.push(...batch)
    if (got.at(-1)?.position === entries.length) break
  }
  return { got, statuses }
}

describe('following a thread', () => {
  it('resumes after the last position when the connection is lost, without a gap or a duplicate', async () => {
    const server = scripted(first(7), first(5))
    const { got, statuses } = await follow(server)
    expect(got).toEqual(entries)
    expect(server.asked).toEqual([0, 7, 12])
    expect(statuses).toEqual(['connecting', 'live', 'retrying', 'live', 'retrying', 'live'])
  })

  it('starts after a position', async () => {
    const server = scripted()
    const intake = createIntake({ after: 30 })
    expect((await follow(server, { after: 30, intake })).got).toEqual(entries.slice(30))
    expect(server.asked).toEqual([30])
    expect(intake.count().gaps).toEqual([])
  })

  it('drops what comes again, and reports what never came', async () => {
    const intake = createIntake()
    const twice = (rest: readonly Entry[]): string => all([...rest.slice(0, 4), ...rest.slice(2, 20)])
    const { got } = await follow(
      scripted(twice, (rest) => all(rest.slice(3))),
      { intake },
    )
    expect(got).toEqual(entries.toSpliced(20, 3))
    expect(intake.count()).toMatchObject({ duplicates: 2, missing: 3 })
    expect(intake.count().gaps).toHaveLength(3)
  })

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
  ])('throws a refusal, which asking again would not change: %i', async (status, code) => {
    const server = scripted(first(3), refused(status, code))
    await expect(follow(server)).rejects.toMatchObject({ code, message: 'No.', hint: 'Do not.' })
    expect(server.asked).toHaveLength(2)
  })

  it.each([
    [500, 'internal'],
    [503, 'unavailable'],
    [429, 'rate-limited'],
  ])('asks again while the server is unavailable: %i', async (status, code) => {
    const { got, statuses } = await follow(scripted(refused(status, code)))
    expect(got).toEqual(entries)
    expect(statuses).toEqual(['connecting', 'retrying', 'live'])
  })

  it.each([
    ['refuses', refused(503, 'unavailable')],
    ['opens streams and ends them at once', () => ''],
  ])('gives up after as many failures in a row as it may have, when the server %s', async (_, answer) => {
    const server = scripted(answer, answer)
    await expect(follow(server, { retries: 1 })).rejects.toMatchObject({ code: 'unavailable' })
    expect(server.asked).toHaveLength(2)
  })

  it('does not take a page for a stream', async () => {
    const page = (): Response => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })
    await expect(follow(scripted(page))).rejects.toMatchObject({
      code: 'unsupported',
      message: 'The server answered with text/html instead of an event stream.',
    })
  })

  it('backs off from a server that opens streams and ends them at once, and starts anew after one that held', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const empty = (): Response => stream(': hb\n\n')
    const held = (): Response =>
      stream(new ReadableStream({ start: (it) => void setTimeout(() => it.close(), HEARTBEAT_MS + 1) }))
    const attempts: number[] = []
    const following = follow(scripted(empty, empty, empty, held), {
      onStatus: (status) => status.type === 'retrying' && attempts.push(status.attempt),
    })
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await following).got).toEqual(entries)
    expect(attempts).toEqual([1, 2, 3, 1])
  })

  it('does not hurry when a server names a time that no timer can hold', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const stop = new AbortController()
    const headers = { 'retry-after': '9999999' }
    const busy = (): Response => new Response('', { status: 503, headers })
    const server = scripted(busy, busy, busy)
    const waits: number[] = []
    const following = follow(server, {
      signal: stop.signal,
      onStatus: (status) => status.type === 'retrying' && waits.push(status.retryAt - Date.now()),
    })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.asked).toHaveLength(1)
    expect(waits).toEqual([3_600_000])
    stop.abort()
    await following
  })

  it('waits as long as it is allowed to, also when no timer can hold that', async () => {
    const stop = new AbortController()
    const server = scripted(() => stream(new ReadableStream()))
    const following = follow(server, { silenceMs: 2 ** 40, signal: stop.signal })
    await vi.waitFor(() => expect(server.asked).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve, 20))
    stop.abort()
    expect((await following).statuses).toEqual(['connecting', 'live'])
  })

  it('takes a content type in any case', async () => {
    const headers = { 'content-type': 'Text/Event-Stream' }
    const shouting = (rest: readonly Entry[]): Response => new Response(all(rest), { headers })
    expect((await follow(scripted(shouting))).got).toEqual(entries)
  })

  it('ends, with its connection, when it is left while it waits', async () => {
    let isCancelled = false
    const open = (): Response => stream(new ReadableStream({ cancel: () => void (isCancelled = true) }))
    const server = scripted(open)
    const iterator = createClient(server).follow('t')[Symbol.asyncIterator]()
    const next = iterator.next()
    await vi.waitFor(() => expect(server.asked).toHaveLength(1))
    await iterator.return?.()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(isCancelled).toBe(true)
  })

  it('passes over what is no envelope when it has someone to report to, and throws otherwise', async () => {
    const bad = (rest: readonly Entry[]): string =>
      `data: ?\n\nid: 1\ndata: {"type":\n\nid: 1\ndata: {"type":"other"}\n\nevent: later\ndata: {}\n\n${all(rest)}`
    const problems: string[] = []
    const { got } = await follow(scripted(bad), { onProblem: (problem) => problems.push(problem) })
    expect(got).toEqual(entries)
    expect(problems).toEqual([
      'not a position: ""',
      'not JSON: {"type":',
      expect.stringContaining('"other" is no type'),
    ])
    await expect(follow(scripted(bad))).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('passes on what its own callbacks throw', async () => {
    const onStatus = (): never => {
      throw new Error('a bug')
    }
    await expect(follow(scripted(), { onStatus })).rejects.toThrow('a bug')
  })

  it('takes a silent server for a lost connection, before its answer and after', async () => {
    const silent = (): Response => stream(new ReadableStream())
    const server = scripted(silent)
    let isFirst = true
    const hanging: Scripted = {
      ...server,
      fetch(input, init) {
        if (!isFirst) return server.fetch(input, init)
        isFirst = false
        return new Promise(() => undefined)
      },
    }
    const { got, statuses } = await follow(hanging, { silenceMs: 20 })
    expect(got).toEqual(entries)
    expect(statuses).toEqual(['connecting', 'retrying', 'live', 'retrying', 'live'])
  })

  it('ends without an error when its signal aborts: while it reads, waits to try again, or before', async () => {
    const stop = new AbortController()
    const open = (rest: readonly Entry[]): Response =>
      stream(
        new ReadableStream({ start: (it) => it.enqueue(new TextEncoder().encode(all(rest.slice(0, 5)))) }),
      )
    const got: Entry[] = []
    for await (const batch of createClient(scripted(open)).follow('t', { signal: stop.signal })) {
      got.push(...batch)
      stop.abort()
    }
    expect(got).toEqual(entries.slice(0, 5))

    const again = new AbortController()
    const onStatus = ({ type }: ConnectionStatus): void => {
      if (type === 'retrying') again.abort()
    }
    const down = scripted(refused(503, 'unavailable'))
    expect((await follow(down, { signal: again.signal, onStatus })).got).toEqual([])
    expect(down.asked).toHaveLength(1)

    const never = scripted()
    expect((await follow(never, { signal: AbortSignal.abort() })).got).toEqual([])
    expect(never.asked).toEqual([])
  })
})

describe('reading a thread', () => {
  it('ends at the end that the server names, not where a connection was cut', async () => {
    const whole = (rest: readonly Entry[]): string => `${all(rest)}event: end\ndata: {}\n\n`
    const server = scripted(first(7), whole)
    const got: Entry[] = []
    for await (const batch of createClient(server).read('t')) got.push(...batch)
    expect(got).toEqual(entries)
    expect(server.asked).toEqual([0, 7])
  })
})
