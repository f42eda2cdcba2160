import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordingFile } from './recording-file.ts'
import { cannotRun, complaints, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`safety${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  let page: Page
  beforeAll(async () => {
    studio = await startStudio()
    page = await studio.open()
  })
  afterAll(() => studio.close())

  it('never runs or loads what a model wrote: HTML is text, javascript: links are dead, images are links', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await studio.begin(page, 'nasty')
    const log = page.getByRole('log')
    await log.getByText('<script>').first().waitFor()
    await studio.finished(page)
    await log.getByText('click me').click()
    await log.getByText('data', { exact: true }).click()
    expect(await log.locator('script, iframe, img, a[href^="javascript"], a[href^="data"]').count()).toBe(0)
    await page.getByRole('tab', { name: /Files/ }).click()
    await page.getByRole('button', { name: /^page\.md/ }).click()
    await page.getByRole('button', { name: /^page\.html/ }).click()
    await page.getByRole('region', { name: 'page.html' }).getByText('pwned').waitFor()
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect(asked.filter((url) => !url.startsWith(studio.server.url) && !url.startsWith('blob:'))).toEqual([])
    await shoot(page, 'safety-nasty')
    expect(complaints(page)).toEqual([])
  })

  it('has a CSP that lets nothing inline run', async () => {
    const blocked = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {
            once: true,
          })
          const script = document.createElement('script')
          script.textContent = 'window.pwned = true'
          document.body.append(script)
        }),
    )
    expect(blocked).toMatch(/^script-src/)
    const style = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {
            once: true,
          })
          const element = document.createElement('style')
          element.textContent = 'body { display: none }'
          document.head.append(element)
        }),
    )
    expect(style).toMatch(/^style-src/)
  })

  it('opens what it can of a malformed JSONL and counts the rest', async () => {
    const bad = [
      'not json',
      '{"type":"from_the_future","ts":1}',
      '[]',
      '{"type":"llm_token"}',
      '',
      '{"half":',
    ]
    await studio.openRecording(page, await recordingFile({ agents: 2, tokens: 10 }, 'malformed.jsonl', bad))
    await page.getByLabel('Sub-agent researcher').first().waitFor()
    await page.getByRole('tab', { name: /Health/ }).click()
    await page.getByText(/from_the_future/).waitFor()
    await page.getByText('not JSON: not json').waitFor()
    await shoot(page, 'safety-malformed')
  })

  it('says so when a file has no envelopes at all', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'clewline-none-')), 'none.jsonl')
    await writeFile(path, 'GIF89a\n\u0000\u0001\n')
    await studio.openRecording(page, path)
    await page.getByRole('heading', { name: 'No envelopes in this file' }).waitFor()
  })

  it('opens a huge file and stays usable', async () => {
    const path = await recordingFile({ agents: 40, tokens: 2400 }, 'huge.jsonl')
    await studio.openRecording(page, path)
    await page.getByRole('heading', { name: 'huge.jsonl' }).waitFor()
    await page.getByLabel('Sub-agent researcher').nth(10).waitFor()
    const position = page.getByLabel('Position in the recording')
    await expect
      .poll(async () => Number(await position.getAttribute('max')), { timeout: 20_000 })
      .toBeGreaterThan(90_000)
    await position.fill('50000')
    await page.getByText('Replaying').waitFor()
  })
})
