import { once } from 'node:events'
import { connect } from 'node:net'
import { type Entry, type Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { parseJsonl } from '@clewline/core/read'
import { expect, onTestFinished, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { eventsUntil, isRootEnd, readEvents } from '../testing/read-events.ts'
import { type Service, startService } from '../testing/start-service.ts'

const words = Array.from({ length: 200 }, (_, i) => `w${i} `)
const agents = {
  chat: chatGraph([{ text: words }, { text: words }]),
  paced: chatGraph([{ text: words.slice(0, 60), delayMs: 5 }]),
}

async function withThread(): Promise<Service> {
  const service = await startService({ agents })
  await service.call('POST', '/api/threads', { thread_id: 't' })
  return service
}

const start = (service: Service, agent = 'chat') =>
  service.call('POST', '/api/threads/t/runs', { agent, input: userSays('go') })

const textOf = (entries: readonly Entry[]): string =>
  entries.flatMap(({ envelope }) => (envelope.type === 'llm_token' ? envelope.payload.text : [])).join('')

test('a reader cut at any point comes back after its last id and has everything exactly once', async () => {
  const service = await withThread()
  await start(service, 'paced')
  const url = `${service.url}/api/threads/t/events?profile=debug`
  const seen: Entry[] = []
  for (let reads = 0; !seen.some(isRootEnd); reads++) {
    const headers = { 'last-event-id': String(seen.at(-1)?.position ?? 0) }
    let left = 1 + (reads % 7) * 3
    for await (const entry of readEvents(url, { headers })) {
      seen.push(entry)
      if (--left === 0 || isRootEnd(entry)) break
    }
  }
  expect(seen.map(({ position }) => position)).toEqual(seen.map((_, i) => i + 1))
  expect(verify(seen.map(({ envelope }) => envelope))).toEqual([])
})

test('the profile "user" says the same in fewer envelopes, live and from history, and leaves no silent gap', async () => {
  const service = await withThread()
  const live = eventsUntil(`${service.url}/api/threads/t/events?profile=user`, isRootEnd)
  await start(service, 'paced')
  const history = await eventsUntil(`${service.url}/api/threads/t/events?profile=debug`, isRootEnd)
  const later = await eventsUntil(`${service.url}/api/threads/t/events?follow=false`, () => false)
  for (const entries of [await live, later]) {
    expect(textOf(entries)).toBe(textOf(history))
    expect(entries.length).toBeLessThan(history.length / 2)
    expect(verify(entries.map(({ envelope }) => envelope))).toEqual([])
    expect(entries.at(-1)?.position).toBe(history.at(-1)?.position)
  }
})

test('a "user" reader that is cut and comes back misses nothing, and knows by seq what it has seen', async () => {
  const service = await withThread()
  await start(service, 'paced')
  const last = new Map<string, number>()
  const kept: Envelope[] = []
  let position = 0
  for (let isOver = false; !isOver;) {
    let left = 4
    for await (const entry of readEvents(`${service.url}/api/threads/t/events?after=${position}`)) {
      position = entry.position
      const { call_id, seq } = entry.envelope
      if (seq > (last.get(call_id) ?? 0)) kept.push(entry.envelope)
      last.set(call_id, Math.max(seq, last.get(call_id) ?? 0))
      isOver = isRootEnd(entry)
      if (--left === 0 || isOver) break
    }
  }
  expect(verify(kept)).toEqual([])
  expect(textOf(kept.map((envelope) => ({ position: 0, envelope })))).toBe(words.slice(0, 60).join(''))
})

test('readers that join in mid-stream share the sampling and each gets everything, in time', async () => {
  const service = await withThread()
  const url = `${service.url}/api/threads/t/events?profile=user`
  const readers = [eventsUntil(url, isRootEnd)]
  await start(service, 'paced')
  for await (const { envelope } of readEvents(url)) {
    if (envelope.type === 'llm_token') readers.push(eventsUntil(url, isRootEnd))
    if (readers.length === 4) break
  }
  for (const entries of await Promise.all(readers)) {
    expect(textOf(entries)).toBe(words.slice(0, 60).join(''))
    expect(verify(entries.map(({ envelope }) => envelope))).toEqual([])
    // A flush for someone who joins must not hold the others' tokens back until the end.
    expect(entries.filter(({ envelope }) => envelope.type === 'llm_token').length).toBeGreaterThan(3)
  }
})

test('a reader stays across runs', async () => {
  const service = await withThread()
  let ends = 0
  const all = eventsUntil(
    `${service.url}/api/threads/t/events?profile=debug`,
    (entry) => isRootEnd(entry) && ++ends === 2,
  )
  await start(service)
  await start(service)
  expect(new Set((await all).map(({ envelope }) => envelope.run_id)).size).toBe(2)
})

test.each(['debug', 'user'])(
  'a reader that asks for a position beyond the end (%s) gets what comes next',
  async (profile) => {
    const service = await withThread()
    const reading = eventsUntil(
      `${service.url}/api/threads/t/events?profile=${profile}&after=1000000`,
      isRootEnd,
    )
    await expect.poll(() => service.clewline.log.readers()).toBe(1)
    await start(service)
    expect((await reading)[0]?.position).toBe(1)
  },
)

test('a browser that reconnects to an address with "after" goes on from its last event, not from there', async () => {
  const service = await withThread()
  await start(service)
  const all = await eventsUntil(`${service.url}/api/threads/t/events?profile=debug`, isRootEnd)
  const again = await eventsUntil(`${service.url}/api/threads/t/events?profile=debug&after=0`, isRootEnd, {
    headers: { 'last-event-id': '3' },
  })
  expect(again).toEqual(all.slice(3))
})

test('the headers suit proxies, and a stream that does not follow says that it is complete', async () => {
  const service = await withThread()
  await start(service)
  await eventsUntil(`${service.url}/api/threads/t/events`, isRootEnd)
  const response = await fetch(`${service.url}/api/threads/t/events?follow=false`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  const text = await response.text()
  expect(text.startsWith('retry: 1000\n\nid: ')).toBe(true)
  expect(text.endsWith('event: end\ndata: {}\n\n')).toBe(true)
})

test('NDJSON comes when Accept names it: the same envelopes, a line each', async () => {
  const service = await withThread()
  await start(service)
  const entries = await eventsUntil(`${service.url}/api/threads/t/events?profile=debug`, isRootEnd)
  const response = await fetch(`${service.url}/api/threads/t/events?profile=debug&follow=false`, {
    headers: { accept: 'application/x-ndjson' },
  })
  const lines = (await response.text()).trimEnd().split('\n')
  const envelopes: unknown[] = []
  for await (const read of parseJsonl([lines.join('\n')]))
    envelopes.push('envelope' in read ? read.envelope : read)
  expect(envelopes).toEqual(entries.map(({ envelope }) => envelope))
  expect(await (await fetch(`${service.url}/api/threads/t/export`)).text()).toBe(`${lines.join('\n')}\n`)
})

test('an exported log makes a new thread that reads the same', async () => {
  const service = await withThread()
  await start(service)
  await eventsUntil(`${service.url}/api/threads/t/events`, isRootEnd)
  const exported = await (await fetch(`${service.url}/api/threads/t/export`)).text()
  const reply = await service.call('POST', '/api/threads/import?thread_id=copy', exported, {
    'content-type': 'application/x-ndjson',
  })
  expect(reply).toMatchObject({ status: 201, body: { thread_id: 'copy', status: 'idle' } })
  const copy = await (await fetch(`${service.url}/api/threads/copy/export`)).text()
  expect(copy).toBe(exported.replaceAll('"origin":"live"', '"origin":"replay"'))
  expect((await service.call('POST', '/api/threads/import?thread_id=copy', exported)).status).toBe(409)
})

test('a log that was exported in the middle of a run is closed off where it is imported', async () => {
  const service = await withThread()
  await start(service)
  const all = await eventsUntil(`${service.url}/api/threads/t/events?profile=debug`, isRootEnd)
  const half = all.slice(0, 6).map(({ envelope }) => `${JSON.stringify(envelope)}\n`)
  await service.call('POST', '/api/threads/import?thread_id=half', half.join(''))
  const copy = await eventsUntil(
    `${service.url}/api/threads/half/events?follow=false&profile=debug`,
    () => false,
  )
  expect(copy.length).toBeGreaterThan(half.length)
  expect(verify(copy.map(({ envelope }) => envelope))).toEqual([])
})

test('deleting a thread ends its readers', async () => {
  const service = await withThread()
  const reading = eventsUntil(`${service.url}/api/threads/t/events`, () => false)
  await expect.poll(() => service.clewline.log.readers()).toBe(1)
  expect((await service.call('DELETE', '/api/threads/t')).status).toBe(204)
  expect(await reading).toEqual([])
})

test('a reader that does not read holds at most its share of memory, and gets everything once it does', async () => {
  const big = 'x'.repeat(20_000)
  const service = await startService({
    agents: { big: chatGraph([{ text: Array.from({ length: 400 }, () => big) }]) },
  })
  await service.call('POST', '/api/threads', { thread_id: 't' })
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /api/threads/t/events?profile=debug HTTP/1.1\r\nhost: localhost\r\n\r\n')
  socket.pause()
  await expect.poll(() => service.clewline.log.readers()).toBe(1)
  await service.call('POST', '/api/threads/t/runs', { agent: 'big', input: userSays('go') })
  await eventsUntil(`${service.url}/api/threads/t/events?profile=debug`, isRootEnd)
  // Eight megabytes are in the log; the reader's place in the live feed is gone, and with it its claim to memory.
  await expect.poll(() => service.clewline.log.readers()).toBe(0)
  const whole = await fetch(`${service.url}/api/threads/t/events?profile=debug&follow=false`)
  const expected = (await whole.arrayBuffer()).byteLength
  expect(expected).toBeGreaterThan(8_000_000)
  let received = 0
  socket.on('data', (chunk: Buffer) => (received += chunk.length))
  socket.resume()
  await expect.poll(() => received, { timeout: 10_000 }).toBeGreaterThan(expected)
  socket.destroy()
})

test('the whole service can be watched: threads and runs as they change', async () => {
  const service = await startService({ agents })
  const response = await fetch(`${service.url}/api/events`)
  const seen = (async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (/event: run\ndata: [^\n]*"status":"success"/.test(text)) return text
    }
    return text
  })()
  await service.call('POST', '/api/threads', { thread_id: 't' })
  await start(service)
  const text = await seen
  for (const status of ['pending', 'running', 'success']) expect(text).toContain(`"status":"${status}"`)
  expect(text).toContain('event: thread\n')
})

test('the same handler works where there is only fetch', async () => {
  const { clewline } = await withThread()
  const url = 'http://clewline.local/api/threads/t'
  const posted = await clewline.fetch(
    new Request(`${url}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'chat', input: userSays('go') }),
    }),
  )
  expect(posted.status).toBe(202)
  const stop = new AbortController()
  const response = await clewline.fetch(new Request(`${url}/events?profile=debug`, { signal: stop.signal }))
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (/"type":"tool_end"[^\n]*"parent_id":null/.test(text)) break
  }
  expect(text).toContain('"type":"llm_token"')
  await expect.poll(() => clewline.log.readers()).toBe(0)
})

test('a run goes on when its last reader leaves', async () => {
  const service = await startService({
    agents: { slow: chatGraph([{ text: Array.from({ length: 200 }, (_, i) => `w${i} `), delayMs: 2 }]) },
  })
  await service.call('POST', '/api/threads', { thread_id: 't' })
  await service.call('POST', '/api/threads/t/runs', { agent: 'slow', input: userSays('go'), run_id: 'r' })
  for await (const { envelope } of readEvents(`${service.url}/api/threads/t/events`))
    if (envelope.type === 'llm_token') break
  await expect.poll(() => service.clewline.log.readers()).toBe(0)
  expect((await service.call('GET', '/api/threads/t/runs/r')).body).toMatchObject({ status: 'running' })
  await expect
    .poll(async () => (await service.call('GET', '/api/threads/t/runs/r')).body['status'])
    .toBe('success')
})

test('a listener to the whole service that does not read is sent away, and nobody else notices', async () => {
  const { call, clewline, url } = await withThread()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('GET /api/events HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  await once(socket, 'data')
  socket.pause()
  const metadata = { long: 'x'.repeat(1024 * 1024) }
  // More than may wait for it: what comes after that finds its stream ended.
  for (let i = 0; i < 10; i++) await clewline.threads.update('t', { metadata })
  expect((await call('GET', '/ok')).status).toBe(200)
  socket.resume()
  await once(socket, 'close')
})
