import { serve } from '@hono/node-server'
import { runThroughApi } from '@clewline/connect'
import { langGraphServer } from '@clewline/connect/testing'
import type { LangGraphServer } from '@clewline/connect/testing'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from './create-app.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const shots = fileURLToPath(new URL('../artefacts', import.meta.url))

process.env['COPILOTKIT_TELEMETRY_DISABLED'] = 'true'

const hasBrowser = existsSync(CHROMIUM)
if (!hasBrowser) console.warn(`Skipped: no Chromium at ${CHROMIUM} (set CHROMIUM).`)

describe.skipIf(!hasBrowser)('CopilotChat in Chromium', () => {
  let server: LangGraphServer
  let app: ReturnType<typeof serve>
  let browser: Browser
  let origin = ''
  let built = ''

  beforeAll(async () => {
    // Slow enough that a browser that loads 20 MB of page is there before the end.
    server = await langGraphServer(4)
    built = await mkdtemp(join(tmpdir(), 'clewline-page-'))
    // In a process of its own: vitest's environment makes Vite build for development.
    await promisify(execFile)('node_modules/vite/bin/vite.js', ['build', '--outDir', built], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
    })
    await mkdir(shots, { recursive: true })
    const fetch = createApp({ langGraphUrl: server.url, graphs: ['chat', 'tools'], page: built })
    app = await new Promise((resolve) => {
      const starting = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(starting))
    })
    origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  }, 180_000)

  afterAll(async () => {
    await browser.close()
    await new Promise((resolve) => app.close(resolve))
    await server.close()
    await rm(built, { recursive: true, force: true })
  })

  const text = (page: Page): Promise<string> => page.evaluate(() => document.body.innerText)

  async function open(threadId: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 900, height: 700 } })
    const page = await context.newPage()
    await page.goto(`${origin}/?agent=chat&thread=${threadId}`)
    return page
  }

  test('shows a background run live, keeps it over reloads, and in a second browser', async () => {
    const { thread_id } = await server.client.threads.create()
    const run = await runThroughApi(server.client, {
      threadId: thread_id,
      assistantId: 'chat',
      input: { messages: [{ role: 'user', content: 'hello' }] },
    })
    const isOver = async (): Promise<boolean> =>
      !['pending', 'running'].includes((await server.client.runs.get(thread_id, run.runId)).status)

    const page = await open(thread_id)
    await expect.poll(() => text(page), { timeout: 30_000, interval: 50 }).toContain('word0')
    const early = await text(page)
    expect(await isOver()).toBe(false)
    expect(early).not.toContain('word29')
    await page.screenshot({ path: join(shots, '1-live.png') })
    await expect
      .poll(async () => (await text(page)).length, { timeout: 10_000 })
      .toBeGreaterThan(early.length)

    await page.reload()
    await expect.poll(() => text(page), { timeout: 30_000, interval: 50 }).toContain('word0')
    expect(await isOver()).toBe(false)
    await page.screenshot({ path: join(shots, '2-reloaded-in-mid-run.png') })

    const second = await open(thread_id)
    await expect.poll(() => text(second), { timeout: 30_000 }).toContain('word0')

    await run.finished()
    for (const one of [page, second]) {
      await expect.poll(() => text(one), { timeout: 30_000 }).toContain('word29')
      const shown = await text(one)
      expect(shown.split('word7 ')).toHaveLength(2)
    }
    await second.screenshot({ path: join(shots, '3-second-browser.png') })

    await page.reload()
    await expect.poll(() => text(page), { timeout: 30_000 }).toContain('word29')
    expect(await text(page)).toContain('hello')
    await page.screenshot({ path: join(shots, '4-reloaded-after-it.png') })
  })
})
