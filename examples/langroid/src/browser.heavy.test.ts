import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startExampleServer } from './example-server.ts'
import type { ExampleServer } from './example-server.ts'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const python =
  process.env['LANGROID_PYTHON'] ??
  fileURLToPath(new URL('../../../packages/langroid/.venv/bin/python', import.meta.url))
const missing = {
  native: existsSync(executablePath) ? null : `there is no Chromium at ${executablePath}`,
  python: existsSync(python) ? null : `there is no ${python}: "npm run test:langroid" makes it`,
}

let browser: Browser | undefined
beforeAll(async () => {
  if (missing.native === null) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
afterAll(() => browser?.close())

const backends = (['native', 'python'] as const).map((backend) => {
  const reason = missing.native ?? (backend === 'python' ? missing.python : null)
  // A skip that nobody sees is a hole: say why.
  if (reason !== null) process.stderr.write(`\nSKIPPED browser tests with ${backend} agents: ${reason}\n`)
  return { backend, isMissing: reason !== null }
})

describe.each(backends)('in Chromium with $backend agents', ({ backend, isMissing }) => {
  let server: ExampleServer | undefined

  beforeAll(async () => {
    if (!isMissing) server = await startExampleServer({ backend, python })
  })
  afterAll(() => server?.close())

  async function open(feature: string): Promise<{ page: Page; say: (text: string) => Promise<void> }> {
    const page = await browser!.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`${server!.url}/?feature=${feature}`)
    return {
      page,
      async say(text) {
        await page.getByLabel('Message').fill(text)
        await page.getByRole('button', { name: 'Send' }).click()
      },
    }
  }
  const settled = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => document.getElementById('status')?.textContent === '')

  test.skipIf(isMissing)('agentic_chat answers and changes the background of the page', async () => {
    const { page, say } = await open('agentic_chat')
    await say('Hello')
    await page.getByText('Hello! How can I help?').waitFor()
    for (const colour of ['blue', 'pink']) {
      await settled(page)
      await say(`Make the background ${colour}`)
      await page.getByText(`The background is ${colour} now.`).waitFor()
      expect(await page.evaluate(() => document.body.style.background)).toContain(colour)
    }
    await page.close()
  })

  test.skipIf(isMissing)('backend_tool_rendering draws the weather and a chart', async () => {
    const { page, say } = await open('backend_tool_rendering')
    await say('What is the weather in Paris?')
    await page.getByText('It is 21 °C and sunny in Paris.').waitFor()
    expect(await page.getByTestId('weather-card').textContent()).toMatch(/Paris.*Humidity 45.*Wind 8/)
    await settled(page)
    await say('Draw me a chart')
    await page.getByText('Here is your chart.').waitFor()
    expect(await page.getByTestId('chart-card').getByRole('meter').count()).toBe(2)
    await page.close()
  })

  test.skipIf(isMissing)('shared_state goes both ways', async () => {
    const { page, say } = await open('shared_state')
    await page.getByRole('button', { name: 'Add potatoes' }).click()
    await say('Which ingredients do I have?')
    await page.getByText('You have: Carrots, Potatoes.').waitFor()
    await settled(page)
    await say('Make it a pasta recipe')
    await page.getByText('I made it a pasta dish.').waitFor()
    expect(await page.getByTestId('ingredient-card').allTextContents()).toEqual([
      '🍝 Pasta 200 g',
      '🍝 Carrots 200 g',
      '🍝 Potatoes 200 g',
    ])
    await page.close()
  })

  test.skipIf(isMissing)('agentic_generative_ui ticks its steps off', async () => {
    const { page, say } = await open('agentic_generative_ui')
    await page.evaluate(() => {
      const pending = (): string => String(document.querySelectorAll('[data-status=pending]').length)
      const note = (): void =>
        void (document.body.dataset['seen'] = `${document.body.dataset['seen'] ?? ''}${pending()}`)
      new MutationObserver(note).observe(document.getElementById('state')!, {
        childList: true,
        subtree: true,
      })
    })
    await say('Plan a trip to Mars')
    await page.getByText('Done: everything is ticked off.').waitFor()
    expect(await page.evaluate(() => document.body.dataset['seen'])).toMatch(/[123].*0/)
    expect(await page.getByTestId('task-step-text').allTextContents()).toEqual([
      '☑ Build the rocket',
      '☑ Fly',
      '☑ Land',
    ])
    await page.close()
  })

  test.skipIf(isMissing)(
    'human_in_the_loop tells the model what the user kept, and what was refused',
    async () => {
      const { page, say } = await open('human_in_the_loop')
      await say('Plan a trip to Mars')
      await page.getByTestId('plan').getByLabel('Fly').uncheck()
      await page.getByRole('button', { name: 'Perform steps' }).click()
      await page.getByText('I will do: Pack, Plant a flag.').waitFor()
      await settled(page)
      await say('Make another plan')
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByText('Fine, I will do nothing.').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await page.close()
    },
  )
})
