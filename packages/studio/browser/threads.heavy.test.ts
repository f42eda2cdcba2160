import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`threads${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  let page: Page
  beforeAll(async () => {
    studio = await startStudio()
    page = await studio.open()
  })
  afterAll(() => studio.close())
  const list = (): ReturnType<Page['getByRole']> => page.getByRole('list', { name: 'Threads' })

  it('teaches a first visitor what to do', async () => {
    await page.getByRole('heading', { name: 'See what your agents do' }).waitFor()
    await page.getByText('Threads appear here once a run has started.').waitFor()
    await shoot(page, 'threads-first-visit')
  })

  it('starts a thread with any agent and shows its status live in the list', async () => {
    await studio.begin(page, 'endless', 'Count forever')
    const row = list().getByRole('listitem').filter({ hasText: 'Count forever' })
    await row.getByText('Running').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Stop' }).click()
    await row.getByText('Idle').waitFor({ state: 'attached' })
  })

  it('shows the same thread, live, to a second device that opens the link', async () => {
    await studio.begin(page, 'endless', 'Watched from two places')
    const path = new URL(page.url()).hash
    const phone = await studio.open(`/${path}`, { viewport: { width: 390, height: 844 } })
    await phone.getByRole('log').getByText('word20').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    for (const device of [page, phone]) await device.getByText('Stopped here').waitFor()
    const said = (from: Page): Promise<string> => from.getByLabel('endless says').innerText()
    expect(await said(phone)).toBe(await said(page))
    await shoot(phone, 'threads-second-device')
  })

  it('renames a thread everywhere', async () => {
    await studio.begin(page, 'writer', 'To be renamed')
    await page.getByRole('heading', { name: 'To be renamed' }).waitFor()
    await page.getByRole('button', { name: 'Actions for To be renamed' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('Title').fill('A better name')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('heading', { name: 'A better name' }).waitFor()
    await list().getByText('A better name').waitFor()
  })

  it('finds threads by their title', async () => {
    await page.getByLabel('Search threads').fill('better')
    await list().getByText('A better name').waitFor()
    await list().getByText('Count forever').waitFor({ state: 'detached' })
    await page.getByLabel('Search threads').fill('no such thread')
    await page.getByText('No thread has this in its title.').waitFor()
    // The thread that is open keeps its name.
    await page.getByRole('heading', { name: 'A better name' }).waitFor()
    await page.getByLabel('Search threads').fill('')
    await list().getByText('Count forever').waitFor()
  })

  it('deletes a thread after asking', async () => {
    await page.getByRole('button', { name: 'Actions for A better name' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByText('deleted for everyone').waitFor()
    await shoot(page, 'threads-delete')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await list().getByText('A better name').waitFor({ state: 'detached' })
    await page.waitForURL(/#\/$/)
  })

  it('says so when a thread does not exist', async () => {
    await page.goto(`${studio.server.url}/#/threads/no-such-thread`)
    await page.getByRole('heading', { name: 'There is no such thread' }).waitFor()
    expect(complaints(page).filter((text) => !text.includes('404'))).toEqual([])
  })
})
