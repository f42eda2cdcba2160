import { createResolver } from '@clewline/core/parts'
import type { Entry, Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { parseJsonl } from '@clewline/core/read'
import { expect } from 'vitest'
import type { ServerProcess } from '../kill/server-process.ts'
import { readEvents } from '../testing/read-events.ts'

/** How far the state of each agent gets: steps, or messages. */
const ENDS = new Map([
  ['stream', 2],
  ['tools', 5],
  ['steps', 20],
  ['nested', 2],
  ['team', 5],
])

/** Starts a run of each agent, on new threads. */
export async function work(server: ServerProcess, round: string): Promise<readonly string[]> {
  const threads = [...ENDS.keys()].map((agent) => `${agent}-${round}`)
  for (const thread_id of threads) await startRun(server, thread_id)
  return threads
}

/** Starts a run on a new thread; both have the name `AGENT-…`. Idempotent, as a client's retry is. */
export async function startRun(server: ServerProcess, thread_id: string): Promise<void> {
  const agent = agentOf(thread_id)
  const input = agent === 'steps' ? {} : { messages: [{ role: 'user', content: 'go' }] }
  await post(server, '/api/threads', { thread_id })
  await post(server, `/api/threads/${thread_id}/runs`, { agent, run_id: thread_id, input })
}

function agentOf(thread: string): string {
  return thread.slice(0, thread.indexOf('-'))
}

/** Waits for the run of a thread; answers with how often it was taken up. */
export async function over(server: ServerProcess, thread: string): Promise<number> {
  await expect.poll(() => statusOf(server, thread), { timeout: 60_000 }).toBe('success')
  return (await get<{ attempt: number }>(server, `/api/threads/${thread}/runs/${thread}`)).attempt
}

export async function statusOf(server: ServerProcess, thread: string): Promise<string> {
  return (await get<{ status: string }>(server, `/api/threads/${thread}/runs/${thread}`)).status
}

/** Every run has ended well, its log keeps the rules, its state is the one that its graph leads to; how many were taken over. */
export async function allWell(server: ServerProcess, threads: readonly string[]): Promise<number> {
  let recovered = 0
  for (const thread of threads) {
    if ((await over(server, thread)) > 1) recovered += 1
    expect(verify(await exportOf(server, thread))).toEqual([])
    const { values } = await get<{ values: { n?: number; messages?: unknown[] } }>(
      server,
      `/api/threads/${thread}/state`,
    )
    expect([thread, values.n ?? values.messages?.length]).toEqual([thread, ENDS.get(agentOf(thread))])
  }
  return recovered
}

async function exportOf(server: ServerProcess, thread: string): Promise<Envelope[]> {
  const text = await (await fetch(`${server.url}/api/threads/${thread}/export`)).text()
  const envelopes: Envelope[] = []
  for await (const read of parseJsonl([text])) if ('envelope' in read) envelopes.push(read.envelope)
  return envelopes
}

export interface FleetReader {
  readonly thread: string
  readonly seen: readonly Entry[]
  readonly stop: () => void
}

/**
 * Reads a thread on one server of the fleet after the other, as an EventSource behind a load balancer does: whenever its
 * connection ends it goes on at the next, after the last id that it has.
 */
export function readAcross(fleet: readonly ServerProcess[], thread: string, first: number): FleetReader {
  const seen: Entry[] = []
  const parts = createResolver()
  const stop = new AbortController()

  async function read(): Promise<void> {
    for (let at = first; !stop.signal.aborted; at++) {
      const url = `${fleet[at % fleet.length]!.url}/api/threads/${thread}/events?profile=debug`
      const headers = { 'last-event-id': String(seen.at(-1)?.position ?? 0) }
      try {
        for await (const entry of readEvents(url, { headers, signal: stop.signal, parts })) seen.push(entry)
      } catch {
        // Its server is gone, or has no store for the moment.
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }

  void read()
  return { thread, seen, stop: () => stop.abort() }
}

/** Each position of the log, once, in order. */
export async function hasAllOnce(reader: FleetReader, server: ServerProcess): Promise<void> {
  const log = await exportOf(server, reader.thread)
  await expect
    .poll(() => reader.seen.at(-1)?.position ?? 0, { timeout: 15_000 })
    .toBeGreaterThanOrEqual(log.length)
  reader.stop()
  expect({ thread: reader.thread, positions: reader.seen.map(({ position }) => position) }).toEqual({
    thread: reader.thread,
    positions: log.map((_, i) => i + 1),
  })
  expect(reader.seen.map(({ envelope }) => envelope)).toEqual(log)
}

async function post(server: ServerProcess, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
}

export async function get<T>(server: ServerProcess, path: string): Promise<T> {
  return (await fetch(server.url + path)).json() as Promise<T>
}
