import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(
  `background${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`,
  () => {
    let studio: Studio
    let page: Page
    beforeAll(async () => {
      studio = await startStudio()
      page = await studio.open()
    })
    afterAll(() => studio.close())

    it('creates, lists and deletes a schedule, with its next time', async () => {
      await page.getByRole('link', { name: 'Schedules' }).click()
      await page.getByText('Nothing is scheduled').waitFor()
      await page.getByRole('button', { name: 'New schedule' }).click()
      await page.getByLabel('Cron schedule').fill('0 9 * * 1')
      await page.getByLabel('Agent').selectOption('writer')
      await page.getByLabel('Message').fill('The weekly digest')
      await shoot(page, 'background-new')
      await page.getByRole('button', { name: 'Create' }).click()
      const schedules = page.getByRole('region', { name: 'Schedules' })
      await schedules.getByText('Every Monday at 09:00').waitFor()
      await schedules.getByText(/Next in|Next /).waitFor()
      await shoot(page, 'background-list')
      await page.getByRole('button', { name: 'Delete schedule 0 9 * * 1' }).click()
      await page.getByText('Nothing is scheduled').waitFor()
    })

    it('says what is wrong with a schedule', async () => {
      await page.getByRole('button', { name: 'New schedule' }).click()
      await page.getByLabel('Cron schedule').fill('61 * * * *')
      await page.getByLabel('Message').fill('Never')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('alert').waitFor()
      await page.keyboard.press('Escape')
    })

    it('sends a message later, and a thread that runs by itself updates by itself', async () => {
      await studio.begin(page, 'writer', 'Now')
      await studio.finished(page)
      await page.getByLabel('Message', { exact: true }).fill('Later')
      await page.getByRole('button', { name: 'Run later or on a schedule' }).click()
      await page.getByLabel('Seconds from now').fill('15')
      await page.getByRole('button', { name: 'Schedule', exact: true }).click()
      await page.getByLabel('Notices').getByText('Scheduled').waitFor()
      await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('')
      const list = await studio.open('/#/background')
      await list.getByRole('region', { name: 'Delayed runs' }).getByText('Later').waitFor()
      await page.getByLabel('You', { exact: true }).getByText('Later').waitFor()
      await list.getByText('Nothing is scheduled').waitFor()
    })

    it('gives notice when a run finishes elsewhere', async () => {
      const other = await studio.open()
      // What has been listed is also listened to.
      await other.getByRole('list', { name: 'Threads' }).getByText('Now', { exact: true }).waitFor()
      await studio.begin(page, 'writer', 'Watched from afar')
      const notice = other.getByLabel('Notices').getByText('Watched from afar: done')
      await notice.waitFor()
      await shoot(other, 'background-notice')
      await other.getByRole('link', { name: 'Open' }).click()
      await other.getByRole('heading', { name: 'Watched from afar' }).waitFor()
      // The schedule that was refused is a 400 on purpose.
      expect(complaints(page).filter((text) => !text.includes('400'))).toEqual([])
    })
  },
)
