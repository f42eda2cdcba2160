import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(
  `approvals${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`,
  () => {
    let studio: Studio
    let page: Page
    beforeAll(async () => {
      studio = await startStudio()
      page = await studio.open()
    })
    afterAll(() => studio.close())
    const card = (id: string, on: Page = page): ReturnType<Page['locator']> =>
      on.locator(`[data-interrupt="${id}"]`)

    it('answers several questions at once, each matched by its id, two of them inside sub-agents', async () => {
      await studio.begin(page, 'asker')
      await card('q-name').waitFor()
      expect(await page.locator('[data-interrupt]').count()).toBe(3)
      await card('q-writer-a').getByRole('button', { name: 'Edit' }).click()
      await card('q-writer-a').getByLabel('Arguments of write_file').fill('{"file_path":"other.md"}')
      await card('q-writer-a').getByRole('button', { name: 'Approve as edited' }).click()
      await card('q-writer-b').getByRole('button', { name: 'Reject' }).click()
      await card('q-writer-b').getByLabel('Why reject write_file').fill('not now')
      await card('q-writer-b').getByRole('button', { name: 'Reject' }).click()
      await shoot(page, 'approvals-several')
      await card('q-name').getByLabel('Your answer').fill('The log')
      await card('q-name').getByRole('button', { name: 'Answer' }).click()
      const answer = page.getByLabel('asker says')
      await answer.getByText('q-name').waitFor()
      expect(await answer.innerText()).toContain(
        'q-writer-a: {"decisions":[{"type":"edit","editedAction":{"name":"write_file","args":{"file_path":"other.md"}}}]}',
      )
      expect(await answer.innerText()).toContain(
        'q-writer-b: {"decisions":[{"type":"reject","message":"not now"}]}',
      )
      expect(await answer.innerText()).toContain('q-name: "The log"')
      expect(await page.locator('[data-interrupt]').count()).toBe(0)
    })

    it('says what is wrong with edited arguments instead of sending them', async () => {
      await studio.begin(page, 'asker')
      await card('q-writer-a').getByRole('button', { name: 'Edit' }).click()
      await card('q-writer-a').getByLabel('Arguments of write_file').fill('{ not json')
      await card('q-writer-a').getByRole('button', { name: 'Approve as edited' }).click()
      await card('q-writer-a').getByText('are not valid JSON').waitFor()
    })

    it('shows where the question was asked', async () => {
      await card('q-writer-b').getByRole('button', { name: 'Show where' }).click()
      await page.getByRole('region', { name: 'Selected call' }).getByText('writer-b').first().waitFor()
    })

    it('keeps a question across a reload, and takes the answer from another device', async () => {
      await studio.begin(page, 'research', 'Postgres or SQLite for an event log?')
      await page.getByText('research waits for you').waitFor()
      await page.reload()
      await page.getByText('research waits for you').waitFor()
      const phone = await studio.open(`/${new URL(page.url()).hash}`, {
        viewport: { width: 390, height: 844 },
      })
      await phone.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('research waits for you').waitFor({ state: 'detached' })
      await page.getByRole('log').getByText('Published').first().waitFor()
      expect(complaints(page)).toEqual([])
    })
  },
)
