import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '@clewline/client'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(
  `conversation${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`,
  () => {
    let studio: Studio
    let page: Page
    beforeAll(async () => {
      studio = await startStudio()
      page = await studio.open()
    })
    afterAll(() => studio.close())

    it('starts the demo research run with one click, and shows it from the plan to the question at its end', async () => {
      await page.getByRole('button', { name: /Run the research demo/ }).click()
      await page.waitForURL(/#\/threads\//)
      await page.getByRole('button', { name: 'Stop' }).waitFor()
      await page.getByLabel('Sub-agent research-agent').first().waitFor()
      await shoot(page, 'conversation-running')
      await page.getByText('research waits for you').waitFor()
      await shoot(page, 'conversation-question')
      expect(await page.getByLabel('Tool write_file').count()).toBeGreaterThan(0)
      expect(complaints(page)).toEqual([])
    })

    it('streams markdown, keeps reasoning collapsed, colours code and copies it', async () => {
      await studio.begin(page, 'writer')
      await page.getByRole('button', { name: /Thinking|Thought/ }).waitFor()
      expect(await page.getByText('Let me think about this.').count()).toBe(0)
      await page.getByRole('button', { name: 'Thought' }).click()
      await page.getByText('Let me think about this.').waitFor()
      await page.getByRole('heading', { name: 'Plan' }).waitFor()
      await page.getByRole('cell', { name: 'two' }).waitFor()
      await page.locator('.cw-code code span[style*="color"]').first().waitFor()
      await page.getByRole('button', { name: 'Copy code' }).click()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe('const answer: number = 42')
      await shoot(page, 'conversation-markdown')
      expect(complaints(page)).toEqual([])
    })

    it('shows the arguments of a tool while they stream in, then its result, on one card', async () => {
      await studio.begin(page, 'typist')
      const card = page.getByRole('log').getByLabel('Tool write_file')
      await card.getByRole('button').first().click()
      await card.getByText('Arguments, streaming in').waitFor()
      await card.getByText('Roses').first().waitFor()
      expect(await card.getByText('Result').count()).toBe(0)
      await studio.server.open('typist')
      await card.getByText('Wrote poem.md').waitFor()
      expect(await card.count()).toBe(1)
    })

    it('stops a run that would never end, and the server says that it is cancelled', async () => {
      const thread = await studio.begin(page, 'endless')
      await page.getByRole('log').getByText('word5').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
      await page.getByText('Stopped here').waitFor()
      const runs = await createClient({ url: studio.server.url }).runs.list(thread)
      expect(runs).toMatchObject([{ status: 'cancelled' }])
    })

    it('shows an error with what to do about it, and its stack on request', async () => {
      await studio.begin(page, 'failing')
      const card = page.getByRole('alert').first()
      await card.getByText('429 Too Many Requests').waitFor()
      await card.getByText('The model provider asks to slow down.').waitFor()
      await card.getByRole('button', { name: 'Show stack' }).click()
      await card.getByText('search.ts:3:9').waitFor()
      await shoot(page, 'conversation-error')
    })

    it('runs again from an edited message, in a new thread, and leaves the old one as it was', async () => {
      const first = await studio.begin(page, 'writer', 'The first question')
      await studio.finished(page)
      await page.getByRole('button', { name: 'Edit and run again from here' }).click()
      await page.getByLabel('Edit message').fill('Another question')
      await page.getByRole('button', { name: 'Run from here' }).click()
      await page.waitForURL((url) => !url.hash.includes(first))
      await page.getByLabel('You', { exact: true }).getByText('Another question').waitFor()
      expect(await page.getByLabel('You', { exact: true }).count()).toBe(1)
      await page.goto(`${studio.server.url}/#/threads/${first}`)
      await page.getByLabel('You', { exact: true }).getByText('The first question').waitFor()
    })

    it('asks for the result of a tool that the page runs, and hands it over', async () => {
      await studio.begin(page, 'frontend')
      const form = page.getByRole('form', { name: 'Result of pick_colour' })
      await form.getByLabel('Result of pick_colour').fill('blue')
      await shoot(page, 'conversation-frontend-tool')
      await form.getByRole('button', { name: 'Give result' }).click()
      await page.getByRole('log').getByText('The page answered: blue').waitFor()
    })

    it('queues a message while a run is on', async () => {
      const thread = await studio.begin(page, 'endless')
      const statuses = async (): Promise<string[]> => {
        const runs = await createClient({ url: studio.server.url }).runs.list(thread)
        return runs.map(({ status }) => status)
      }
      await page.getByRole('log').getByText('word5').waitFor()
      await page.getByText('A message now waits its turn.').waitFor()
      await page.getByLabel('Message', { exact: true }).fill('And then?')
      await page.keyboard.press('Enter')
      await expect.poll(statuses).toEqual(['pending', 'running'])
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('Stopped here').first().waitFor()
      await expect.poll(statuses).toEqual(['cancelled', 'cancelled'])
    })
  },
)
