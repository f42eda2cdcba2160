import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Envelope } from '@clewline/core'
import { envelopeSchema, verify } from '@clewline/core/check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'

const script = fileURLToPath(new URL('./task-server.ts', import.meta.url))
/** Where jiti is found, which runs the script from source. */
const cwd = fileURLToPath(new URL('../../../../packages/server', import.meta.url))

let store: string
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'clewline-kill-task-'))
})
afterEach(() => rmSync(store, { recursive: true, force: true }))

async function start(fatal: number) {
  const args = ['--conditions=source', '--import', 'jiti/register', script, store, String(fatal)]
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const url = z.string().parse((await lines.next()).value)
  const call = async (path: string, body?: object): Promise<unknown> => {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    return await (await fetch(url + path, init)).json()
  }
  const log = async (): Promise<readonly Envelope[]> => {
    const headers = { accept: 'application/x-ndjson' }
    const text = await (await fetch(`${url}/api/threads/t/events?follow=false`, { headers })).text()
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => envelopeSchema.parse(JSON.parse(line)))
  }
  return {
    call,
    log,
    asked: async () => expect((await lines.next()).value).toBe('asked'),
    async stop(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
    async until(status: string) {
      await expect
        .poll(async () => z.object({ status: z.string() }).parse(await call('/api/threads/t/state')).status)
        .toBe(status)
    },
  }
}

const question = { agent: 'task', input: { messages: [{ role: 'user', content: 'go' }] } }
const answer = { agent: 'task', resume: { value: 'short' } }
/** Model calls before the writer asks its user, and after. */
const BEFORE = 5
const AFTER = 2

/** What the log says of the run, and what is wrong with it. */
function judge(log: readonly Envelope[]): object {
  const said = log.flatMap((e) => (e.type === 'llm_end' ? [e.payload.message.text] : []))
  const warnings = log.filter((e) => e.type === 'warning')
  return { violations: verify(log), result: said.at(-1), warnings }
}
const UNDISTURBED = { violations: [], result: 'final: a short text', warnings: [] }

describe('kill -9 of the server of a task with two sub-tasks', () => {
  test.each(Array.from({ length: BEFORE }, (_, i) => i + 1))(
    'at its model call %i does not change its result',
    async (fatal) => {
      const first = await start(fatal)
      await first.call('/api/threads', { thread_id: 't' })
      await first.call('/api/threads/t/runs', question)
      await first.asked()
      await first.stop('SIGKILL')
      const second = await start(0)
      await second.until('interrupted')
      await second.call('/api/threads/t/runs', answer)
      await second.until('idle')
      expect(judge(await second.log())).toEqual(UNDISTURBED)
      await second.stop('SIGTERM')
    },
  )

  test.each(Array.from({ length: AFTER }, (_, i) => i + 1))(
    'while it waits for its user, and at model call %i after the answer, does not change its result',
    async (fatal) => {
      const first = await start(0)
      await first.call('/api/threads', { thread_id: 't' })
      await first.call('/api/threads/t/runs', question)
      await first.until('interrupted')
      await first.stop('SIGKILL')
      const second = await start(fatal)
      await second.until('interrupted')
      await second.call('/api/threads/t/runs', answer)
      await second.asked()
      await second.stop('SIGKILL')
      const third = await start(0)
      await third.until('idle')
      expect(judge(await third.log())).toEqual(UNDISTURBED)
      await third.stop('SIGTERM')
    },
  )
})
