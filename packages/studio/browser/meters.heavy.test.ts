import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`meters${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  let page: Page
  beforeAll(async () => {
    studio = await startStudio()
    page = await studio.open()
  })
  afterAll(() => studio.close())

  it('counts tokens, cost, context and speed, of the thread and per agent, model and run', async () => {
    await studio.begin(page, 'burst')
    await page.getByRole('tab', { name: 'Usage' }).click()
    const usage = page.getByRole('region', { name: 'Usage' })
    await usage.getByRole('row', { name: /worker-20/ }).waitFor()
    // 20 calls of 900 in and 1,000 out, at 1 and 4 dollars a million.
    await usage.getByText('38,000', { exact: true }).waitFor()
    await usage.getByText('$0.098').first().waitFor()
    await usage.getByRole('row', { name: /scripted-offline/ }).waitFor()
    await usage.getByRole('row', { name: /1 · burst/ }).waitFor()
    await page.getByTitle('Tokens and cost of this thread').getByText('38k tokens · $0.098').waitFor()
    await usage.getByRole('meter', { name: 'Budget' }).waitFor()
    await usage.getByText('38k of 40k tokens').waitFor()
    await shoot(page, 'meters')
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.getByRole('treeitem').filter({ hasText: 'scripted-offline' }).first().click()
    await page.getByRole('button', { name: 'In and out' }).click()
    await page.getByRole('region', { name: 'Selected call' }).getByText('tok/s').waitFor()
    expect(complaints(page)).toEqual([])
  })
})
