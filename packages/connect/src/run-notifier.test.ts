import { Client } from '@langchain/langgraph-sdk'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createRunNotifier } from './run-notifier.ts'
import type { RunNotifier } from './run-notifier.ts'

interface Listening {
  readonly notifier: RunNotifier
  readonly stop: AbortController
  readonly requests: { readonly url: string; readonly key: unknown; isClosed: boolean }[]
}

/** A notifier on a server of which only the thread's stream is there. */
async function listening(answer: (response: ServerResponse) => void): Promise<Listening> {
  const requests: Listening['requests'] = []
  const server = createServer((request, response) => {
    const seen = { url: request.url ?? '', key: request.headers['x-api-key'], isClosed: false }
    requests.push(seen)
    response.on('close', () => (seen.isClosed = true))
    request.resume().on('end', () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const client = new Client({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'secret' })
  return { notifier: createRunNotifier(client, 'thread-1', stop.signal), stop, requests }
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
}

function tell(response: ServerResponse, method: string, namespace: readonly string[]): void {
  const event = { type: 'event', event_id: '1', seq: 1, method, params: { namespace, data: {} } }
  response.write(`event: ${method}\ndata: ${JSON.stringify(event)}\n\n`)
}

test('wakes its waiter when the root graph of a run begins or ends, with the credentials of the client', async () => {
  const { notifier, requests } = await listening((response) => {
    begin(response)
    tell(response, 'lifecycle', [])
  })
  notifier.listen()
  await notifier.wait(60_000)
  expect(requests).toEqual([{ url: '/threads/thread-1/stream/events', key: 'secret', isClosed: false }])
})

test('is silent about sub-graphs and other channels', async () => {
  let isTold = false
  const { notifier } = await listening((response) => {
    begin(response)
    tell(response, 'lifecycle', ['child:1'])
    tell(response, 'values', [])
    isTold = true
  })
  notifier.listen()
  await expect.poll(() => isTold).toBe(true)
  const from = performance.now()
  await notifier.wait(200)
  expect(performance.now() - from).toBeGreaterThan(190)
})

test.each([404, 405, 401])('asks a server that answers %s no second time', async (status) => {
  const { notifier, requests } = await listening((response) => response.writeHead(status).end())
  notifier.listen()
  await expect.poll(() => requests[0]?.isClosed).toBe(true)
  for (let look = 0; look < 3; look++) {
    await notifier.wait(20)
    notifier.listen()
  }
  expect(requests).toHaveLength(1)
})

test('listens again after a stream that broke, and only when told to', async () => {
  const { notifier, requests } = await listening((response) => {
    begin(response)
    response.destroy()
  })
  notifier.listen()
  notifier.listen()
  await expect.poll(() => requests[0]?.isClosed).toBe(true)
  await notifier.wait(100)
  expect(requests).toHaveLength(1)
  notifier.listen()
  await expect.poll(() => requests.length).toBe(2)
})

test.each([
  ['answered', begin],
  ['not answered', () => undefined],
])('the signal ends the wait and a stream that is %s', async (_name, answer) => {
  const { notifier, stop, requests } = await listening(answer)
  notifier.listen()
  await expect.poll(() => requests.length).toBe(1)
  const waiting = notifier.wait(60_000)
  stop.abort()
  await expect(waiting).rejects.toThrow('aborted')
  await expect.poll(() => requests[0]?.isClosed).toBe(true)
  notifier.listen()
  await expect(notifier.wait(60_000)).rejects.toThrow('aborted')
  expect(requests).toHaveLength(1)
})
