import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`calls${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  let page: Page
  beforeAll(async () => {
    studio = await startStudio()
    page = await studio.open()
  })
  afterAll(() => studio.close())
  const tree = (): ReturnType<Page['getByRole']> => page.getByRole('tree', { name: 'Calls' })
  const rows = (): ReturnType<Page['getByRole']> => tree().getByRole('treeitem')

  it('grows a tree of graph, sub-agents, tools and model calls with status, duration and tokens', async () => {
    await studio.begin(page, 'research', 'Postgres or SQLite for an event log?')
    await rows().filter({ hasText: 'research-agent' }).nth(2).waitFor()
    await page.getByText('research waits for you').waitFor()
    const graph = rows().first()
    expect(await graph.getAttribute('aria-level')).toBe('1')
    expect(await graph.innerText()).toMatch(/research[\s\S]*tok[\s\S]*s/)
    await rows().filter({ hasText: 'internet_search' }).first().waitFor()
    await shoot(page, 'calls-tree')
  })

  it('collapses, filters and finds', async () => {
    const all = await rows().count()
    await page.getByRole('button', { name: 'Agents', exact: true }).click()
    await expect.poll(() => rows().count()).toBeLessThan(all)
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByLabel('Find a call').fill('edit_file')
    await rows().filter({ hasText: 'edit_file' }).first().waitFor()
    expect(await rows().filter({ hasText: 'internet_search' }).count()).toBe(0)
    await page.getByLabel('Find a call').fill('nothing is called this')
    await page.getByText('Nothing matches').waitFor()
    await page.getByLabel('Find a call').fill('')
    await rows().first().click()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => rows().count()).toBe(1)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => rows().count()).toBeGreaterThan(5)
  })

  it('selects a call everywhere: tree, details, conversation, timeline and URL', async () => {
    await rows().filter({ hasText: 'research-agent' }).first().click()
    const detail = page.getByRole('region', { name: 'Selected call' })
    await detail.getByLabel('Tool internet_search').first().waitFor()
    expect(await page.getByLabel('Sub-agent research-agent').first().getAttribute('data-selected')).toBe(
      'true',
    )
    await expect.poll(() => page.url()).toMatch(/call=/)
    await page.getByRole('tab', { name: 'Timeline' }).click()
    expect(await page.locator('.cw-lane[data-selected]').count()).toBe(1)
    await shoot(page, 'calls-selected')
    await page.getByRole('button', { name: 'In and out' }).click()
    await detail.getByText('description').first().waitFor()
    await page.getByRole('button', { name: 'Envelopes' }).click()
    await detail.getByText('"tool_start"').first().waitFor()
    await page.getByRole('button', { name: 'Close details' }).click()
    await detail.waitFor({ state: 'detached' })
  })

  it('draws parallel sub-agents side by side, a lane each', async () => {
    const lanes = page.locator('.cw-lane').filter({ hasText: 'research-agent' })
    expect(await lanes.count()).toBe(3)
    const boxes = await Promise.all(
      [0, 1, 2].map((at) => lanes.nth(at).locator('.cw-bar').first().boundingBox()),
    )
    const xs = boxes.map((box) => box?.x ?? -1)
    expect(Math.max(...xs) - Math.min(...xs)).toBeLessThan(30)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.getByRole('button', { name: 'Zoom out' }).click()
  })

  it('opens the transcript of a sub-agent inside the conversation while it still runs', async () => {
    await studio.begin(page, 'crew')
    const card = page.getByLabel('Sub-agent worker-2', { exact: true })
    await card.getByRole('button', { expanded: false }).first().click()
    const said = async (): Promise<number> =>
      (await card.getByLabel('worker-2 says', { exact: true }).innerText()).length
    const before = await said()
    await expect.poll(said).toBeGreaterThan(before + 100)
    await shoot(page, 'calls-live-transcript')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    expect(complaints(page)).toEqual([])
  })
})
