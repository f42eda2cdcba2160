import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, preview, type PreviewServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

const configFile = join(import.meta.dirname, '../../../examples/own-page/vite.config.ts')

describe.skipIf(cannotRun !== null)(
  `examples/own-page${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`,
  () => {
    let studio: Studio
    let vite: PreviewServer
    let outDir: string
    beforeAll(async () => {
      studio = await startStudio()
      outDir = await mkdtemp(join(tmpdir(), 'clewline-own-page-'))
      // Built, as it would be put on a server: the development server may reload a page while the test writes in it.
      const options = { configFile, logLevel: 'silent', build: { outDir } } as const
      await build(options)
      const proxy = { '/api': studio.server.url }
      vite = await preview({ ...options, preview: { port: 0, host: '127.0.0.1', proxy } })
    })
    afterAll(async () => {
      await vite.close()
      await studio.close()
      await rm(outDir, { recursive: true })
    })

    it('is a whole page: it sends, streams, shows the plan, answers and replays', async () => {
      const page = await studio.open()
      const [url = ''] = vite.resolvedUrls?.local ?? []
      await page.goto(`${url}?thread=desk`)
      await page.getByLabel('Message', { exact: true }).fill('Compare SQLite and Postgres for an event log')
      await page.keyboard.press('Enter')
      await page.getByLabel('Sub-agent research-agent').first().waitFor()
      await page.getByText('research waits for you').waitFor()
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
