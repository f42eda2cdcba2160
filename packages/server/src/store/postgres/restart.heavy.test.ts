import { parseJsonl } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../kill/server-process.ts'
import { postgresPrograms, startPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

describe.skipIf(programs === null)(`a database server that goes away${needs}`, () => {
  test('takes no process with it: the runs go on when it is back, and nothing is lost', async () => {
    const postgres = await startPostgres(programs!)
    onTestFinished(() => postgres.stop())
    const server = await startServer(postgres.url, Date.now())
    onTestFinished(() => server.kill())
    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const threads: string[] = []
    for (let round = 1; round <= 3; round++) {
      const begun = ['stream', 'tools', 'steps', 'nested', 'team'].map((agent) => ({
        agent,
        thread_id: `${agent}-${round}`,
      }))
      for (const { agent, thread_id } of begun) {
        await post('/api/threads', { thread_id })
        const input = agent === 'steps' ? {} : { messages: [{ role: 'user', content: 'go' }] }
        const { status } = await post(`/api/threads/${thread_id}/runs`, { agent, run_id: thread_id, input })
        expect(status).toBeLessThan(300)
      }
      postgres.restart()
      for (const { thread_id } of begun) {
        threads.push(thread_id)
        await expect.poll(() => statusOf(server.url, thread_id), { timeout: 60_000 }).toBe('success')
      }
    }
    for (const thread_id of threads) {
      const text = await (await fetch(`${server.url}/api/threads/${thread_id}/export`)).text()
      const envelopes = []
      for await (const read of parseJsonl([text])) if ('envelope' in read) envelopes.push(read.envelope)
      expect(verify(envelopes)).toEqual([])
    }
  })
})

/** While the database is away, the server answers with an error; that is not yet an answer here. */
async function statusOf(url: string, thread: string): Promise<string> {
  const response = await fetch(`${url}/api/threads/${thread}/runs/${thread}`)
  const body = (await response.json()) as { status?: string; error?: unknown }
  return body.status === 'error' ? JSON.stringify(body.error) : (body.status ?? 'unknown')
}
