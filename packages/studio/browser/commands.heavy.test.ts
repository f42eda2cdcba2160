import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axe, cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`commands${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  let page: Page
  beforeAll(async () => {
    studio = await startStudio()
    page = await studio.open()
    await studio.begin(page, 'writer', 'The first of two')
    await studio.finished(page)
    await studio.begin(page, 'writer', 'The second of two')
    await studio.finished(page)
  })
  afterAll(() => studio.close())
  const find = (): ReturnType<Page['getByLabel']> => page.getByLabel('Find a command or a thread')

  it('finds a thread by a part of its name and opens it, by keyboard alone', async () => {
    await page.keyboard.press('Control+k')
    await find().fill('first')
    await page.getByRole('option', { name: 'The first of two' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The first of two' }).waitFor()
    await find().waitFor({ state: 'detached' })
  })

  it('offers what the page can do, and says so when nothing is called like that', async () => {
    await page.getByRole('button', { name: /^Commands/ }).click()
    await page.getByRole('option', { name: 'Export JSONL' }).waitFor()
    await shoot(page, 'commands')
    expect(await axe(page)).toEqual([])
    await find().fill('nothing is called this')
    await page.getByText('Nothing is called this.').waitFor()
    await find().fill('files')
    await page.keyboard.press('Enter')
    await page.getByText('No files yet').waitFor()
  })

  it('starts a thread with an agent', async () => {
    await page.keyboard.press('Control+k')
    await find().fill('with typist')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Agent', { exact: true }).inputValue()).toBe('typist')
    await page.goBack()
  })

  it('has a key for what is done often, and lists them', async () => {
    await page.getByRole('heading', { name: 'The first of two' }).waitFor()
    await page.keyboard.press('1')
    await page.getByRole('tree', { name: 'Calls' }).waitFor()
    await page.getByRole('treeitem').last().click()
    const details = page.getByRole('region', { name: 'Selected call' })
    await details.waitFor()
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    await page.keyboard.press(',')
    await page.getByText('Replaying').waitFor()
    await page.keyboard.press('e')
    await page.getByText('Replaying').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByText('Step back').waitFor()
    await shoot(page, 'commands-keys')
    // Keys are for the dialog now.
    await page.keyboard.press('3')
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    expect(await page.getByRole('tree', { name: 'Calls' }).count()).toBe(1)
  })

  it('leaves the keys to who writes', async () => {
    await page.keyboard.press('m')
    await page.keyboard.type('2 more, please?')
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('2 more, please?')
    expect(await page.getByRole('tree', { name: 'Calls' }).count()).toBe(1)
    expect(complaints(page)).toEqual([])
  })
})
