import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cannotRun, LAN, shoot, startStudio, type Studio } from './studio.ts'

describe.skipIf(cannotRun !== null)(`access${cannotRun === null ? '' : ` (skipped: ${cannotRun})`}`, () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await startStudio({ token: 'open-sesame' })
  })
  afterAll(() => studio.close())

  it('asks for the token of a server that wants one, keeps it, and streams with it', async () => {
    const page = await studio.open()
    const dialog = page.getByRole('dialog', { name: 'This server asks for a token' })
    await dialog.getByLabel('Token').fill('open-sesame')
    await shoot(page, 'access-token')
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: /Run the research demo/ }).waitFor()
    await studio.begin(page, 'writer')
    await studio.finished(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Plan' }).waitFor()
    expect(await dialog.count()).toBe(0)
  })

  it('lets in whoever opens the link that has the token, and takes it out of the address', async () => {
    const page = await studio.open('/#token=open-sesame')
    await page.getByRole('button', { name: /Run the research demo/ }).waitFor()
    expect(page.url()).not.toContain('sesame')
    expect(await page.getByRole('dialog', { name: 'This server asks for a token' }).count()).toBe(0)
  })

  it('works on a device that comes over plain HTTP from another machine', async () => {
    const page = await studio.open()
    await page.goto(`${studio.server.url.replace('127.0.0.1', LAN)}/#token=open-sesame`)
    expect(await page.evaluate(() => window.isSecureContext)).toBe(false)
    await page.getByLabel('Agent', { exact: true }).selectOption('writer')
    await page.getByLabel('First message').fill('From my phone')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await studio.finished(page)
    await page.getByRole('button', { name: 'Copy code' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
  })

  it('shows nothing of a thread to who has no token', async () => {
    const page = await studio.open('/#/threads/anything')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'This thread cannot be read' }).waitFor()
  })
})
