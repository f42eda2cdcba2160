import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordingFile } from './recording-file.ts'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`replay${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  let page: Page
  beforeAll(async () => {
    studio = await startStudio()
    page = await studio.open()
  })
  afterAll(() => studio.close())
  const position = (): ReturnType<Page['getByLabel']> => page.getByLabel('Position in the recording')

  it('scrubs a finished run to any moment and back', async () => {
    await studio.begin(page, 'writer')
    await studio.finished(page)
    const whole = await page.getByRole('log').innerText()
    await position().fill('3')
    await page.getByText('Replaying').waitFor()
    expect(await page.getByRole('log').getByRole('heading', { name: 'Plan' }).count()).toBe(0)
    await shoot(page, 'replay-scrubbed')
    await page.getByRole('button', { name: 'Newest' }).click()
    await page.getByText('Replaying').waitFor({ state: 'detached' })
    expect(await page.getByRole('log').innerText()).toBe(whole)
  })

  it('scrubs a run that still goes on, and comes back to it live', async () => {
    await studio.begin(page, 'endless')
    await page.getByRole('log').getByText('word30').waitFor()
    await position().fill('5')
    await page.getByText('Replaying').waitFor()
    expect(await page.getByRole('log').getByText('word30').count()).toBe(0)
    await page.getByRole('button', { name: 'Live' }).click()
    await page.getByRole('log').getByText('word40').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped here').waitFor()
  })

  it('plays with speed, pauses and steps', async () => {
    // Minutes long at this speed, so that it still plays whenever the test gets to pause it.
    await studio.openRecording(page, await recordingFile({ agents: 8, tokens: 2000 }))
    await page.getByRole('heading', { name: 'run.jsonl' }).waitFor()
    const at = async (): Promise<number> => Number(await position().inputValue())
    await page.getByLabel('Speed').selectOption('0.5')
    await page.getByRole('button', { name: 'Play' }).click()
    await expect.poll(at).toBeGreaterThan(3)
    await page.getByRole('button', { name: 'Pause' }).click()
    const there = await at()
    await page.getByRole('button', { name: 'Step forward' }).click()
    await expect.poll(at).toBeGreaterThan(there)
    await page.getByRole('button', { name: 'To the start' }).click()
    await expect.poll(at).toBe(0)
    await page.getByRole('button', { name: 'Step forward' }).click()
    await expect.poll(at).toBe(1)
    await page.getByRole('button', { name: 'Step forward' }).click()
    await page.getByRole('button', { name: 'Step back' }).click()
    await expect.poll(at).toBe(1)
    await page.getByLabel('Speed').selectOption('max')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByText('Replaying').waitFor({ state: 'detached' })
  })

  it('puts the moment into the URL, so that a link shows it', async () => {
    await studio.begin(page, 'writer')
    await studio.finished(page)
    await position().fill('4')
    await expect.poll(() => page.url()).toMatch(/at=\d+/)
    const other = await studio.open(`/${new URL(page.url()).hash}`)
    await other.getByText('Replaying').waitFor()
    expect(await other.getByRole('log').innerText()).toBe(await page.getByRole('log').innerText())
  })

  it('forks a run from the moment that is on the screen', async () => {
    const whole = await studio.begin(page, 'research', 'Postgres or SQLite for an event log?')
    await page.getByText('research waits for you').waitFor()
    const sent = page.getByRole('log').getByText('researchers start now')
    const middle = Math.round(Number(await position().getAttribute('max')) / 3)
    await position().fill(String(middle))
    await page.getByText('Replaying').waitFor()
    await page.getByRole('button', { name: 'Thread actions' }).click()
    await page.getByRole('menuitem', { name: 'Fork from here' }).click()
    await page.waitForURL((url) => url.hash.includes('threads') && !url.hash.includes(whole))
    await sent.waitFor()
    await page.getByRole('log').getByText('replay', { exact: true }).first().waitFor()
    expect(await page.getByText('research waits for you').count()).toBe(0)
  })

  it('exports a run as JSONL and opens it again with the same conversation', async () => {
    await studio.begin(page, 'writer')
    await studio.finished(page)
    const said = await page.getByLabel('writer says').last().innerText()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Thread actions' }).click()
    await page.getByRole('menuitem', { name: 'Export JSONL' }).click()
    const path = (await (await download).path()) ?? ''
    expect((await readFile(path, 'utf8')).split('\n')[0]).toContain('"tool_start"')
    await studio.openRecording(page, path)
    await page.waitForURL(/#\/recording/)
    await expect.poll(() => page.getByLabel('writer says').last().innerText()).toBe(said)
  })

  it('opens a dropped JSONL with no server at all', async () => {
    const path = await recordingFile({ agents: 4, tokens: 50 })
    const text = await readFile(path, 'utf8')
    const offline = await studio.open()
    await offline.route(/\/(api|info)/, (route) => route.abort())
    await offline.reload()
    await offline.getByText('Recordings open without it.').waitFor()
    await shoot(offline, 'replay-no-server')
    await offline.evaluate((content) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], 'dropped.jsonl'))
      window.dispatchEvent(
        new DragEvent('dragover', { dataTransfer: transfer, bubbles: true, cancelable: true }),
      )
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
    }, text)
    await offline.getByRole('heading', { name: 'dropped.jsonl' }).waitFor()
    await offline.getByLabel('Sub-agent researcher').nth(3).waitFor()
    await shoot(offline, 'replay-dropped')
    expect(await offline.getByLabel('Message', { exact: true }).count()).toBe(0)
  })

  it('marks what is a replay', async () => {
    const path = await recordingFile({ agents: 1, tokens: 5 })
    const replayed = (await readFile(path, 'utf8')).replaceAll('"origin":"live"', '"origin":"replay"')
    await page.evaluate((content) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content], 'replayed.jsonl'))
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
    }, replayed)
    await page.getByRole('heading', { name: 'replayed.jsonl' }).waitFor()
    await page.getByRole('log').getByText('replay', { exact: true }).first().waitFor()
  })

  it('compares two runs side by side', async () => {
    const left = await studio.begin(page, 'writer', 'Left run')
    await studio.finished(page)
    const right = await studio.begin(page, 'frontend', 'Right run')
    await page.goto(`${studio.server.url}/#/compare?left=${left}`)
    await page.getByLabel('Right run', { exact: true }).selectOption(right)
    await page.getByRole('row', { name: /Tokens/ }).waitFor()
    const rows = page.getByRole('region', { name: 'Calls side by side' })
    await rows.getByText('pick_colour').waitFor()
    await rows.getByText('writer').first().waitFor()
    await page.getByRole('region', { name: 'Answers' }).waitFor()
    await shoot(page, 'replay-compare')
    expect(complaints(page)).toEqual([])
  })
})
