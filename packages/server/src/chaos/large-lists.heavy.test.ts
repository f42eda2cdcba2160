import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../store/open-store.ts'
import { cronRow, FUTURE, runRow, threadRow } from '../testing/store-under-test.ts'
import { chaosProcesses } from './chaos-process.ts'
import { STORES, temporaryFolder } from './stores.ts'

const ROWS = 150
const LARGE = 'x'.repeat(3_900_000)
/** Pages of each list that are looked at. */
const PAGES = 5
const A_FEW = 8_500_000
/** The rows of one list alone are 585 MB. */
const MOST_MEMORY = 450_000_000

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
      const name = await open()
      await fill(name)
      const server = await processes.open(name, null)
      onTestFinished(() => server.kill())
      processes.close()
      const ask = async (path: string): Promise<string> => {
        const response = await fetch(`${server.url}${path}`, {
          headers: { authorization: 'Bearer alice' },
        })
        const text = await response.text()
        expect({ path, ok: response.ok, text: response.ok ? '' : text }).toEqual({ path, ok: true, text: '' })
        return text
      }
      const rss = async (): Promise<number> => {
        const figures = await ask('/metrics')
        return Number(/^process_resident_memory_bytes (\S+)/m.exec(figures)?.[1])
      }
      const before = await rss()
      let most = before
      const sizes: Record<string, number> = {}
      for (const [what, path, key, cursor] of LISTS) {
        let next: string | null = null
        for (let page = 0; page < PAGES; page++) {
          const text = await ask(next === null ? path : `${path}&${cursor}=${next}`)
          sizes[what] = Math.max(sizes[what] ?? 0, text.length)
          const body: Record<string, unknown> = JSON.parse(text)
          expect(body).toMatchObject({ [key]: [{}], next: expect.any(String) })
          next = String(body['next'])
          most = Math.max(most, await rss())
        }
      }
      for (const path of [
        '/api/threads/t0/runs?limit=1000',
        '/api/runs?status=pending&limit=1000&inputs=true',
      ]) {
        sizes[path] = (await ask(path)).length
        most = Math.max(most, await rss())
      }
      process.stdout.write(`large lists: ${JSON.stringify({ sizes, before, most })}\n`)
      for (const size of Object.values(sizes)) expect(size).toBeLessThan(A_FEW)
      expect(most).toBeLessThan(MOST_MEMORY)
    },
  )
})

/** Written to the store itself: what is tested is reading. */
async function fill(name: string): Promise<void> {
  const store = await openStore(name)
  const [owner, input] = ['alice', { large: LARGE }]
  for (let i = 0; i < ROWS; i++) {
    await store.threads.insert(threadRow(`t${i}`, { owner, metadata: input }))
    await store.crons.insert(cronRow({ owner, input, next_at: FUTURE }))
    await store.runs.insert(runRow('t0', { owner, request: { kind: 'input', input }, run_at: FUTURE }))
  }
  await store.close()
}
