import { readFile, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordingFile } from './recording-file.ts'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`health${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  let page: Page
  beforeAll(async () => {
    studio = await startStudio({ paceMs: 12 })
    page = await studio.open()
  })
  afterAll(() => studio.close())

  it('resumes by itself when the server is killed in mid-run and started again: nothing missing, nothing twice', async () => {
    const thread = await studio.begin(page, 'research', 'Postgres or SQLite for an event log?')
    await page.getByLabel('Sub-agent research-agent').first().waitFor()
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('compare-page')),
    )
    await studio.server.kill()
    await page
      .getByText(/Reconnecting/)
      .first()
      .waitFor()
    await shoot(page, 'health-reconnecting')
    // The other pages are there though the server is not.
    await page.getByRole('link', { name: 'Compare runs' }).click()
    await page.getByRole('heading', { name: 'Choose two runs' }).waitFor()
    await page.goBack()
    await studio.server.start()
    await page.getByText('Connected').waitFor()
    await page.getByText('research waits for you').waitFor()
    await page.getByRole('tab', { name: 'Health' }).click()
    expect(await page.getByTestId('missing').innerText()).toBe('0')
    await shoot(page, 'health-resumed')
    const fresh = await studio.open(`/#/threads/${thread}`)
    await fresh.getByText('research waits for you').waitFor()
    const said = (from: Page): Promise<string[]> => from.getByLabel('research says').allInnerTexts()
    expect(await said(page)).toEqual(await said(fresh))
  })

  it('counts what is missing and what came twice, and says where', async () => {
    const path = await recordingFile({ agents: 2, tokens: 20 })
    const lines = (await readFile(path, 'utf8')).trim().split('\n')
    const cut = lines.findIndex((line) => line.includes('"llm_token"'))
    const copy = lines.findIndex((line, index) => index > cut + 5 && line.includes('"llm_token"'))
    const twice = lines[copy] ?? ''
    await writeFile(
      path,
      [...lines.slice(0, cut), ...lines.slice(cut + 1, copy + 1), twice, ...lines.slice(copy + 1)].join('\n'),
    )
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('navigation').getByRole('button', { name: 'Open a recording' }).click(),
    ])
    await chooser.setFiles(path)
    await page.getByText('1 missing').waitFor()
    await page.getByRole('tab', { name: 'Health' }).click()
    expect(await page.getByTestId('missing').innerText()).toBe('1')
    expect(await page.getByTestId('duplicates').innerText()).toBe('1')
    await page.getByText(/lacks seq \d+ before position/).waitFor()
    await shoot(page, 'health-gap')
  })

  it('lists warnings of the watchdog', async () => {
    await studio.begin(page, 'failing')
    await page.getByRole('tab', { name: 'Health' }).click()
    await page.getByText('No sign for 30 s.').waitFor()
  })

  it('switches to debug, with every envelope and the raw ones under each item', async () => {
    await studio.begin(page, 'writer')
    await studio.finished(page)
    const count = async (): Promise<number> =>
      Number(await page.getByLabel('Position in the recording').getAttribute('max'))
    const joined = await count()
    await page.getByRole('tab', { name: 'Health' }).click()
    await page.getByRole('button', { name: 'Debug' }).click()
    await expect.poll(count).toBeGreaterThan(joined)
    const every = await count()
    const raw = page
      .getByRole('log')
      .getByRole('button', { name: /envelopes/ })
      .last()
    await raw.click()
    await page.getByRole('log').getByText('"llm_start"').first().waitFor()
    await shoot(page, 'health-debug')
    await page.getByRole('button', { name: 'User', exact: true }).click()
    await expect.poll(count).toBeLessThan(every)
    expect(complaints(page)).toEqual([])
  })
})
