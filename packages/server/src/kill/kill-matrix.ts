import { setTimeout as sleep } from 'node:timers/promises'
import { verify } from '@clewline/core/check'
import { createResolver } from '@clewline/core/parts'
import { type ServerProcess, startServer } from './server-process.ts'
import { exportedLog, hasSeen, readOn, type WatchedThread } from './watched-thread.ts'

/** What must hold after any number of kills; empty lists mean that it does. */
export interface KillReport {
  readonly kills: number
  readonly threads: number
  readonly runs: number
  readonly recovered: number
  readonly envelopes: number
  readonly stuckThreads: readonly string[]
  readonly unfinishedRuns: readonly string[]
  readonly violations: readonly string[]
  /** Readers that missed an envelope, or got one twice. */
  readonly wrongReaders: readonly string[]
}

interface Watched extends WatchedThread {
  readonly agent: string
}

interface ShownRun {
  readonly run_id: string
  readonly status: string
  readonly attempt: number
}

const AGENTS = ['stream', 'tools', 'steps', 'nested', 'team', 'ask']
const MINUTE = 60_000

/** Kills a busy server again and again at moments drawn from `random`, then looks at what is left. */
export async function killMatrix(store: string, kills: number, random: () => number): Promise<KillReport> {
  const watched = new Map<string, Watched>()
  // Each server's clock starts half a second before a minute is full, so that crons tick while it lives (on Postgres, whose
  // clock is its own, when a minute is full).
  let clock = Math.ceil(Date.now() / MINUTE) * MINUTE
  let server: ServerProcess
  const start = (): Promise<ServerProcess> => startServer(store, (clock += MINUTE) - 500)

  server = await start()
  await post(server, '/api/threads', { thread_id: 'cron' })
  watch('cron', 'stream')
  await post(server, '/api/crons', {
    schedule: '* * * * *',
    thread: 'cron',
    agent: 'stream',
    input: { messages: [{ role: 'user', content: 'tick' }] },
    on_overlap: 'enqueue',
  })

  for (let kill = 0; kill < kills; kill++) {
    const stop = new AbortController()
    const readers = [...watched.values()].map((one) => readOn(server.url, one, stop.signal))
    const work = drive(server, kill, stop.signal)
    await sleep(20 + random() * 900)
    await server.kill()
    stop.abort()
    await Promise.all([...readers, work])
    server = await start()
  }

  await removeCrons(server)
  await settle(server)
  const report = await look(server)
  await server.kill()
  return report

  function watch(thread_id: string, agent: string): void {
    if (!watched.has(thread_id))
      watched.set(thread_id, { thread_id, agent, seen: [], parts: createResolver() })
  }

  /** New runs on new threads and, now and then, an answer to a question. A request that a kill cut off is made again later. */
  async function drive(to: ServerProcess, round: number, signal: AbortSignal): Promise<void> {
    try {
      for (const agent of AGENTS.filter(() => random() < 0.6)) {
        const thread_id = `${agent}-${round}`
        await post(to, '/api/threads', { thread_id }, signal)
        watch(thread_id, agent)
        const one = watched.get(thread_id)
        if (one !== undefined) void readOn(to.url, one, signal)
        await post(to, `/api/threads/${thread_id}/runs`, runBody(agent, thread_id), signal)
      }
      await answerAll(to, signal)
    } catch {
      // The server was killed under the request.
    }
  }

  function runBody(agent: string, thread_id: string): object {
    const input = agent === 'steps' ? {} : { messages: [{ role: 'user', content: 'go' }] }
    return { agent, run_id: `run-${thread_id}`, input }
  }

  async function answerAll(to: ServerProcess, signal?: AbortSignal): Promise<void> {
    const { threads } = await get<{ threads: { thread_id: string }[] }>(
      to,
      '/api/threads?status=interrupted&limit=200',
      signal,
    )
    for (const { thread_id } of threads) {
      await post(to, `/api/threads/${thread_id}/runs`, { agent: 'ask', resume: { value: 'yes' } }, signal)
    }
  }

  async function settle(to: ServerProcess): Promise<void> {
    const until = Date.now() + 60_000
    while (Date.now() < until) {
      // Threads whose run request was cut off by a kill never had a run: they get it now.
      for (const { thread_id, agent } of watched.values()) {
        if (thread_id !== 'cron') await post(to, `/api/threads/${thread_id}/runs`, runBody(agent, thread_id))
      }
      await answerAll(to)
      const runs = (await Promise.all([...watched.keys()].map((id) => runsOf(to, id)))).flat()
      if (
        runs.every(({ status }) => status === 'success' || status === 'error' || status === 'interrupted')
      ) {
        const { threads } = await get<{ threads: unknown[] }>(to, '/api/threads?status=interrupted&limit=1')
        if (threads.length === 0) return
      }
      await sleep(100)
    }
  }

  async function look(at: ServerProcess): Promise<KillReport> {
    const stuckThreads: string[] = []
    const unfinishedRuns: string[] = []
    const violations: string[] = []
    const wrongReaders: string[] = []
    let runs = 0
    let recovered = 0
    let envelopes = 0
    for (const one of watched.values()) {
      const thread = await get<{ status: string }>(at, `/api/threads/${one.thread_id}`)
      if (thread.status === 'busy') stuckThreads.push(one.thread_id)
      for (const run of await runsOf(at, one.thread_id)) {
        runs += 1
        if (run.attempt > 1) recovered += 1
        if (run.status === 'pending' || run.status === 'running') unfinishedRuns.push(run.run_id)
      }
      const exported = await exportedLog(at.url, one.thread_id)
      envelopes += exported.length
      for (const { rule, message } of verify(exported))
        violations.push(`${one.thread_id}: ${rule}: ${message}`)
      const stop = new AbortController()
      await readOn(at.url, one, stop.signal, { until: exported.length })
      stop.abort()
      if (!hasSeen(one, exported)) wrongReaders.push(one.thread_id)
    }
    return {
      kills,
      threads: watched.size,
      runs,
      recovered,
      envelopes,
      stuckThreads,
      unfinishedRuns,
      violations,
      wrongReaders,
    }
  }
}

async function runsOf(server: ServerProcess, thread_id: string): Promise<readonly ShownRun[]> {
  return (await get<{ runs: ShownRun[] }>(server, `/api/threads/${thread_id}/runs`)).runs
}

async function removeCrons(server: ServerProcess): Promise<void> {
  const { crons } = await get<{ crons: { cron_id: string }[] }>(server, '/api/crons')
  for (const { cron_id } of crons) await fetch(`${server.url}/api/crons/${cron_id}`, { method: 'DELETE' })
}

async function get<T>(server: ServerProcess, path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`${server.url}${path}`, { signal: signal ?? null })
  return await (response.json() as Promise<T>)
}

async function post(server: ServerProcess, path: string, body: object, signal?: AbortSignal): Promise<void> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal ?? null,
  })
  await response.arrayBuffer()
  if (response.status >= 500) throw new Error(`${response.status} for POST ${path}`)
}
