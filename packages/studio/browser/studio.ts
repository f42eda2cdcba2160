import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axeCore from 'axe-core'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { startServer, type ServerOptions, type TestServer } from './server.ts'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const artifacts = join(import.meta.dirname, '../../../artifacts/studio')

/** A name for the server that is not this machine's: over plain HTTP, browsers keep parts of their API from such pages. */
export const LAN = 'lan.test'

/** Why the browser suite cannot run here; null when it can. */
export const cannotRun: string | null = existsSync(executablePath)
  ? null
  : `no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM`

/** A server and a browser that look at each other. */
export interface Studio {
  readonly server: TestServer
  open(path?: string, options?: BrowserContextOptions): Promise<Page>
  /** Starts a thread with an agent through the page. */
  begin(page: Page, agent: string, message?: string): Promise<string>
  /** Opens a recording through the page's file chooser. */
  openRecording(page: Page, file: string): Promise<void>
  /** Until the newest run of the thread on the page has ended well. */
  finished(page: Page): Promise<void>
  close(): Promise<void>
}

export async function startStudio(options: ServerOptions = {}): Promise<Studio> {
  const server = await startServer(options)
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${LAN} 127.0.0.1`]
  const browser: Browser = await chromium.launch({ executablePath, args })
  const contexts: BrowserContext[] = []
  return {
    server,
    async open(path = '/', contextOptions = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...contextOptions })
      contexts.push(context)
      // A busy machine is no failure: a condition that is awaited gets its time.
      context.setDefaultTimeout(120_000)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const page = await context.newPage()
      watch(page)
      await page.goto(server.url + path)
      return page
    },
    async begin(page, agent, message = 'Go') {
      await page.goto(`${server.url}/#/`)
      await page.getByLabel('Agent', { exact: true }).selectOption(agent)
      await page.getByLabel('First message').fill(message)
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.waitForURL(/#\/threads\//)
      return /#\/threads\/([^?]+)/.exec(page.url())?.[1] ?? ''
    },
    async openRecording(page, file) {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('navigation').getByRole('button', { name: 'Open a recording' }).click(),
      ])
      await chooser.setFiles(file)
    },
    finished: (page) => page.locator('.cw-bar-top').getByText('Done', { exact: true }).waitFor(),
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

const troubles = new WeakMap<Page, string[]>()

/** What the page's console complained about: broken code, or something that the CSP had to block. */
export function complaints(page: Page): readonly string[] {
  return troubles.get(page) ?? []
}

function watch(page: Page): void {
  const found: string[] = []
  troubles.set(page, found)
  page.on('pageerror', (error) => found.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    // A server that is down while the suite kills it is no fault of the page.
    if (message.type() === 'error' && !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY/.test(text)) found.push(text)
  })
}

export async function shoot(page: Page, name: string): Promise<void> {
  await mkdir(artifacts, { recursive: true })
  await page.screenshot({ path: join(artifacts, `${name}.png`) })
}

interface AxeViolation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** The serious and critical violations that axe finds, as lines. */
export async function axe(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeCore.source)
  const violations = await page.evaluate<readonly AxeViolation[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary ?? ''}`).join(' | ')}`,
    )
}
