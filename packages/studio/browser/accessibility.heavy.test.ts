import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, cannotRun, shoot, startStudio, type Studio } from './studio.ts'

const SCREENS = [
  ['desktop light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['desktop dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['phone light', { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true }],
  ['phone dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true }],
] as const

describe.skipIf(cannotRun !== null)(
  `accessibility${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`,
  () => {
    let studio: Studio
    let thread: string
    let failed: string
    beforeAll(async () => {
      studio = await startStudio()
      const page = await studio.open()
      failed = await studio.begin(page, 'failing')
      await page.getByRole('alert').first().waitFor()
      thread = await studio.begin(page, 'research', 'Postgres or SQLite for an event log?')
      await page.getByText('research waits for you').waitFor()
    })
    afterAll(() => studio.close())

    for (const [name, options] of SCREENS) {
      it(`has no serious violation on any view: ${name}`, async () => {
        // Colours are judged where they come to rest.
        const page = await studio.open('/', { ...options, reducedMotion: 'reduce' })
        const found: string[] = []
        const check = async (view: string): Promise<void> => {
          await page.waitForFunction(() => document.getAnimations().length === 0)
          await shoot(page, `${name.replace(' ', '-')}-${view}`)
          for (const violation of await axe(page)) found.push(`${view}: ${violation}`)
        }
        await page.getByRole('button', { name: /Run the research demo/ }).waitFor()
        await check('home')
        await page.goto(`${studio.server.url}/#/threads/${thread}`)
        await page.getByText('research waits for you').waitFor()
        await check('conversation')
        const views = ['calls', 'timeline', 'plan', 'files', 'usage', 'health']
        for (const view of views) {
          await page.goto(`${studio.server.url}/#/threads/${thread}?tab=${view}`)
          await page.getByRole('tabpanel').waitFor()
          await check(view)
        }
        await page.goto(`${studio.server.url}/#/threads/${thread}?tab=calls`)
        await page.getByRole('treeitem').filter({ hasText: 'research-agent' }).first().click()
        await check('detail')
        await page.goto(`${studio.server.url}/#/threads/${failed}`)
        await page.getByRole('alert').first().waitFor()
        await check('error')
        await page.goto(`${studio.server.url}/#/background`)
        await page.getByRole('button', { name: 'New schedule' }).click()
        await page.getByRole('dialog').waitFor()
        await check('schedules')
        await page.goto(`${studio.server.url}/#/compare?left=${thread}&right=${failed}`)
        await page.getByRole('region', { name: 'Answers' }).waitFor()
        await check('compare')
        await page.goto(`${studio.server.url}/#/recording`)
        await check('recording')
        expect(found).toEqual([])
      })
    }

    it('can be steered by keyboard alone', async () => {
      const page = await studio.open(`/#/threads/${thread}`)
      await page.getByText('research waits for you').waitFor()
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('Skip to content')
      await page.getByRole('tree', { name: 'Calls' }).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.getByRole('region', { name: 'Selected call' }).waitFor()
      await page.getByRole('separator').focus()
      const before = await page.getByRole('separator').getAttribute('aria-valuenow')
      await page.keyboard.press('ArrowLeft')
      await expect.poll(() => page.getByRole('separator').getAttribute('aria-valuenow')).not.toBe(before)
      await page.getByRole('button', { name: 'Approve', exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.getByText('research waits for you').waitFor({ state: 'detached' })
    })

    it('holds still for who prefers less motion', async () => {
      const page = await studio.open('/', { reducedMotion: 'reduce' })
      await studio.begin(page, 'endless')
      const dot = page.locator('.cw-status[data-tone="running"]').first()
      await dot.waitFor()
      const duration = await dot.evaluate((element) => getComputedStyle(element, '::after').animationDuration)
      expect(Number.parseFloat(duration)).toBeLessThan(0.001)
      await page.getByRole('button', { name: 'Stop' }).click()
    })
  },
)

function focused(page: Page): Promise<string | null> {
  return page.evaluate(() => document.activeElement?.textContent ?? null)
}
