import { join } from 'node:path'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

const example = join(import.meta.dirname, '../../../examples/own-page')

describe.skipIf(cannotRun !== null)(
  `examples/own-page${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`,
  () => {
    let studio: Studio
    let vite: ViteDevServer
    beforeAll(async () => {
      studio = await startStudio()
      const proxy = { '/api': studio.server.url }
      vite = await createServer({
        configFile: join(example, 'vite.config.ts'),
        server: { port: 0, host: '127.0.0.1', proxy },
        logLevel: 'silent',
      })
      await vite.listen()
    })
    afterAll(async () => {
      await vite.close()
      await studio.close()
    })

    it('is a whole page: it sends, streams, shows the plan, answers and replays', async () => {
      const page = await studio.open()
      const [url = ''] = vite.resolvedUrls?.local ?? []
      await page.goto(`${url}?thread=desk`)
      await page.getByLabel('Message', { exact: true }).fill('Compare SQLite and Postgres for an event log')
      await page.keyboard.press('Enter')
      await page.getByLabel('Sub-agent research-agent').first().waitFor({ timeout: 60_000 })
      await page.getByText('research waits for you').waitFor({ timeout: 60_000 })
      await page.getByText('4 of 5 done').waitFor()
      await shoot(page, 'own-page')
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('5 of 5 done').waitFor()
      await page.getByLabel('Position in the recording').fill('5')
      await page.getByText('5 of 5 done').waitFor({ state: 'detached' })
      expect(complaints(page)).toEqual([])
    })
  },
)
