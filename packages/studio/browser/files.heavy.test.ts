import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(
  `plan and files${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`,
  () => {
    let studio: Studio
    let page: Page
    beforeAll(async () => {
      studio = await startStudio()
      page = await studio.open()
      await studio.begin(page, 'research', 'Postgres or SQLite for an event log?')
      await page.getByText('research waits for you').waitFor()
    })
    afterAll(() => studio.close())

    it('shows the todos and how many are done', async () => {
      await page.getByRole('tab', { name: /Plan/ }).click()
      await page.getByText('4 of 5 done').waitFor()
      expect(await page.getByRole('region', { name: 'Plan' }).getByRole('listitem').count()).toBe(5)
      await shoot(page, 'plan')
    })

    it('shows a file, its source, the difference between two moments, and who changed it', async () => {
      await page.getByRole('tab', { name: /Files/ }).click()
      await page.getByRole('button', { name: /^final_report\.md/ }).click()
      const body = page.getByRole('region', { name: 'final_report.md' })
      await body.getByRole('heading', { name: 'Summary' }).waitFor()
      await page.getByRole('button', { name: 'Source', exact: true }).click()
      await body.getByText('## Summary').first().waitFor()
      await page.getByRole('button', { name: 'Diff' }).click()
      await body.locator('[data-kind="added"]').first().waitFor()
      await shoot(page, 'files-diff')
      await page.getByLabel('From', { exact: true }).selectOption('-1')
      await expect.poll(() => body.locator('[data-kind="removed"]').count()).toBe(0)
      await page.getByRole('button', { name: /History/ }).click()
      const history = page.getByRole('list', { name: 'History of final_report.md' })
      expect(await history.getByRole('listitem').count()).toBe(3)
      await history.getByRole('button').first().click()
      await page.getByRole('region', { name: 'Selected call' }).waitFor()
      await shoot(page, 'files-history')
      await page.getByRole('button', { name: 'Close details' }).click()
    })

    it('downloads one file, and all of them', async () => {
      const one = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download question.md' }).click()
      const single = await one
      expect(single.suggestedFilename()).toBe('question.md')
      expect(await readFile((await single.path()) ?? '', 'utf8')).toContain('Postgres or SQLite')
      const all = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download all files' }).click()
      const zip = await all
      const files = unzipSync(await readFile((await zip.path()) ?? ''))
      expect(Object.keys(files)).toContain('final_report.md')
    })

    it('hands an edited file back to the run, and other devices see the edit', async () => {
      await page.getByRole('button', { name: /^question\.md/ }).click()
      await page.getByRole('button', { name: 'Edit', exact: true }).last().click()
      const editor = page.getByLabel('Contents of question.md')
      await editor.waitFor()
      await editor.press('Control+End')
      await editor.pressSequentially('Edited by a person.')
      await shoot(page, 'files-editor')
      await page.getByRole('button', { name: 'Hand to the agent' }).click()
      await page.getByText('Edited by you. The agent finds it so in its next step.').waitFor()
      const thread = /threads\/([^?]+)/.exec(page.url())?.[1] ?? ''
      const state = await fetch(`${studio.server.url}/api/threads/${thread}/state`).then((answer) =>
        answer.text(),
      )
      expect(state).toContain('Edited by a person.')
      const other = await studio.open(`/#/threads/${thread}?tab=files`)
      await other.getByRole('button', { name: /^question\.md edited/ }).waitFor()
      expect(complaints(page)).toEqual([])
    })
  },
)
