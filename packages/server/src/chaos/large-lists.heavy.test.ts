import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chaosProcesses } from './chaos-process.ts'
import { STORES, temporaryFolder } from './stores.ts'

const ROWS = 150
const LARGE = 'x'.repeat(3_900_000)
const HOUR = 3_600
const A_FEW = 8_500_000

/** Lists of rows that are nearly as large as a body may be. */
const LISTS = [
  ['threads, by their metadata', '/api/threads?limit=200', 'threads', 'before'],
  ['crons, by their inputs', '/api/crons?limit=1000', 'crons', 'after'],
] as const

describe.each(STORES)('on $name', ({ isMissing, open }) => {
  test.skipIf(isMissing)(
    `${ROWS} rows of 3.9 MB each are listed in small answers and little memory`,
    { timeout: 600_000 },
    async () => {
      const processes = chaosProcesses(join(temporaryFolder(), 'effects.jsonl'))
      const server = await processes.open(await open(), null)
      onTestFinished(() => server.kill())
      processes.close()
      const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' }
      const ask = async (method: string, path: string, body?: unknown): Promise<string> => {
        const response = await fetch(`${server.url}${path}`, {
          method,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        expect({ path, ok: response.ok, text: response.ok ? '' : text }).toEqual({ path, ok: true, text: '' })
        return text
      }
      const rss = async (): Promise<number> => {
        const figures = await ask('GET', '/metrics')
        return Number(/^process_resident_memory_bytes (\S+)/m.exec(figures)?.[1])
      }
      await ask('POST', '/api/threads', { thread_id: 'runs' })
      for (let i = 0; i < ROWS; i++) {
        await ask('POST', '/api/threads', { thread_id: `t${i}`, metadata: { large: LARGE } })
        await ask('POST', '/api/crons', { schedule: '0 0 1 1 *', agent: 'counter', input: { large: LARGE } })
        const run = { agent: 'counter', input: { large: LARGE }, after_seconds: HOUR }
        await ask('POST', '/api/threads/runs/runs', run)
      }
      const before = await rss()
      let most = before
      const sizes: Record<string, number> = {}
      for (const [name, path, key, cursor] of LISTS) {
        let rows = 0
        let next: string | null = null
        do {
          const text = await ask('GET', next === null ? path : `${path}&${cursor}=${next}`)
          sizes[name] = Math.max(sizes[name] ?? 0, text.length)
          const page: Record<string, unknown> = JSON.parse(text)
          const found = page[key]
          rows += Array.isArray(found) ? found.length : 0
          next = typeof page['next'] === 'string' ? page['next'] : null
          most = Math.max(most, await rss())
        } while (next !== null)
        expect(rows).toBeGreaterThanOrEqual(ROWS)
      }
      for (const path of ['/api/threads/runs/runs?limit=1000', '/api/runs?status=pending&limit=1000&inputs=true']) {
        sizes[path] = (await ask('GET', path)).length
        most = Math.max(most, await rss())
      }
      process.stdout.write(`large lists: ${JSON.stringify({ sizes, before, most })}\n`)
      for (const size of Object.values(sizes)) expect(size).toBeLessThan(A_FEW)
      expect(most).toBeLessThan(before + 300_000_000)
    },
  )
})
