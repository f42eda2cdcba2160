import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { expect } from 'vitest'
import { z } from 'zod'

const cli = fileURLToPath(new URL('../../../../packages/server/dist/cli/main.js', import.meta.url))
const config = fileURLToPath(new URL('worker.config.mjs', import.meta.url))

const State = z.object({ status: z.string(), interrupts: z.array(z.json()).optional() })

/** `clewline start` as it is shipped, over a store that outlives it. */
export interface StartedServer {
  readonly process: ChildProcess
  readonly url: string
  /** What it wrote to its log. */
  readonly log: () => string
  post(path: string, body: object): Promise<void>
  /** Resolves with the thread's status once it is idle or waits for an answer. */
  settled(thread: string): Promise<string>
  /** The thread's log, which keeps every rule. */
  envelopes(thread: string): Promise<readonly Envelope[]>
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

export async function startServer(folder: string): Promise<StartedServer> {
  const args = [cli, 'start', '--port', '0', '--store', `${folder}/store`, '--config', config]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, CALLS: `${folder}/calls` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  let out = ''
  child.stdout.on('data', (data) => (out += String(data)))
  child.stderr.on('data', (data) => (log += String(data)))
  const url = await expect
    .poll(() => /http:\/\/[\d.]+:\d+/.exec(out + log)?.[0], { timeout: 60_000 })
    .toBeDefined()
    .then(() => /http:\/\/[\d.]+:\d+/.exec(out + log)![0])
  const get = async (path: string): Promise<Response> => await fetch(url + path)

  return {
    process: child,
    url,
    log: () => log,
    async post(path, body) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(response.ok, await response.text()).toBe(true)
    },
    async settled(thread) {
      let status = ''
      await expect
        .poll(
          async () => (status = State.parse(await (await get(`/api/threads/${thread}/state`)).json()).status),
          { timeout: 90_000, interval: 100 },
        )
        .toMatch(/idle|interrupted|waiting|error/)
      return status
    },
    async envelopes(thread) {
      const text = await (await get(`/api/threads/${thread}/events?profile=debug&follow=false`)).text()
      const found = text
        .split('\n')
        .filter((line) => line.startsWith('data: ') && line.includes('"call_id":'))
        .map((line): Envelope => JSON.parse(line.slice(6)))
      expect(verify(found)).toEqual([])
      return found
    },
    async kill(signal) {
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = await exited
      return typeof code === 'number' ? code : null
    },
  }
}

/** The model calls so far: which agent asked, in which process. */
export function callsIn(folder: string): readonly { readonly agent: string; readonly pid: number }[] {
  try {
    const lines = readFileSync(`${folder}/calls`, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => ({ agent: line.split(' ')[0]!, pid: Number(line.split(' ')[1]) }))
  } catch {
    return []
  }
}
