// What the studio must hold, measured in a real Chromium against the real server: frames, heap, open and scrub times.
// Needs `npm run build` and a Chromium (CHROMIUM, default /usr/bin/chromium).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { recording } from '@clewline/studio/testing'
import { chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  console.log(`skipped: no Chromium at ${executablePath}`)
  process.exit(0)
}
const studio = fileURLToPath(new URL('../packages/studio/', import.meta.url))
const cli = fileURLToPath(new URL('../packages/server/dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'clewline-bench-studio-'))
let isWell = true

function report(name, value, limit, unit, isMost = true) {
  const holds = isMost ? value <= limit : value >= limit
  isWell &&= holds
  const shown = value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US')
  console.log(
    `${holds ? 'ok  ' : 'FAIL'} ${name.padEnd(58)} ${shown.padStart(8)} ${unit}  (${isMost ? '≤' : '≥'} ${limit})`,
  )
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function eagerBytes() {
  const html = readFileSync(join(studio, 'app-dist/index.html'), 'utf8')
  const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path)
  return scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(studio, 'app-dist', path))).length, 0)
}

async function startServer() {
  const child = spawn(
    process.execPath,
    [
      cli,
      'start',
      '--port',
      '0',
      '--store',
      join(folder, 'store'),
      '--config',
      join(studio, 'browser/clewline.config.ts'),
      '--json',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('{')) return { child, url: JSON.parse(line).url }
  }
  throw new Error('The server ended before it was ready.')
}

/** JSHeapUsedSize after a collection, in MB. */
async function heap(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1024 / 1024
}

async function measureFrames(page, url) {
  await page.goto(`${url}/#/`)
  await page.getByLabel('Agent', { exact: true }).selectOption('burst')
  await page.getByLabel('First message').fill('Go')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByLabel('Sub-agent worker-20', { exact: true }).waitFor()
  // Some of the sub-agents are open, so that markdown streams in several places at once.
  for (const worker of [1, 2, 3, 4]) {
    await page.getByLabel(`Sub-agent worker-${worker}`, { exact: true }).getByRole('button').first().click()
  }
  const frames = await page.evaluate(async () => {
    const log = document.querySelector('[role="log"]')
    const tree = document.querySelector('[role="tree"]')
    const intervals = []
    let last = performance.now()
    let at = 0
    const end = last + 6000
    while (last < end) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const now = performance.now()
      intervals.push(now - last)
      last = now
      at += 1
      const step = at % 120 < 60 ? 24 : -24
      log?.scrollBy(0, step)
      tree?.scrollBy(0, step)
    }
    return intervals
  })
  const isStreaming = await page.getByRole('button', { name: 'Stop' }).isVisible()
  report(
    `20 sub-agents, 20,000 tokens: median frames a second${isStreaming ? '' : ' (ended early)'}`,
    1000 / median(frames),
    50,
    'fps',
    false,
  )
  const slow = frames.filter((ms) => ms > 50).length
  console.log(
    `     frames over 50 ms: ${slow} of ${frames.length}; longest ${Math.round(Math.max(...frames))} ms`,
  )
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached', timeout: 60_000 })
  report('heap of that tab', await heap(page), 300, 'MB')
}

async function measureScrub(page, name) {
  const times = await page.evaluate(async () => {
    const range = document.querySelector('input[type="range"]')
    const max = Number(range.max)
    const times = []
    for (const part of [0.5, 0.02, 0.98, 0.31, 0.77, 0.11, 0.64, 0.9, 0.25, 0.83]) {
      const n = Math.round(max * part)
      const started = performance.now()
      // React watches the element's own setter; the prototype's is what a drag looks like.
      Reflect.set(HTMLInputElement.prototype, 'value', String(n), range)
      range.dispatchEvent(new Event('input', { bubbles: true }))
      while (!range.getAttribute('aria-valuetext').startsWith(`${n} of`)) {
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      times.push(performance.now() - started)
    }
    return times
  })
  report(`${name}: scrub to any point, median`, median(times), 100, 'ms')
  report(`${name}: scrub to any point, worst of ${times.length}`, Math.max(...times), 100, 'ms')
}

async function measureFile(page, url, path, count) {
  await page.goto(`${url}/#/recording`)
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a file' }).click(),
  ])
  await page.evaluate((count) => {
    window.opened = new Promise((resolve) => {
      const look = () => {
        const range = document.querySelector('input[type="range"]')
        if (range !== null && Number(range.max) === count) resolve(performance.now())
        else requestAnimationFrame(look)
      }
      look()
    })
    window.began = performance.now()
  }, count)
  await chooser.setFiles(path)
  const took = await page.evaluate(() => window.opened.then((at) => at - window.began))
  report('100,000 envelopes from a file: open', took, 2000, 'ms')
  await measureScrub(page, '100,000 envelopes')
  report('heap of that tab', await heap(page), 300, 'MB')
}

async function measureThread(page, url, jsonl) {
  const thread = 'bench-100k'
  const answer = await fetch(`${url}/api/threads/import?thread_id=${thread}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: jsonl,
  })
  if (!answer.ok) {
    console.log(
      `     from the server: not measured (import answered ${answer.status}: ${(await answer.text()).slice(0, 120)})`,
    )
    return
  }
  const { thread_id } = await answer.json()
  await page.goto('about:blank')
  await page.goto(`${url}/#/threads/${thread_id}`)
  // From the navigation on, so loading the page itself is in it.
  const took = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = () => {
          if (document.querySelector('.cw-page[data-loaded] .cw-subagent') !== null)
            resolve(performance.now())
          else requestAnimationFrame(look)
        }
        look()
      }),
  )
  report('100,000 envelopes from the server: open, with the page itself', took, 2000, 'ms')
  await measureScrub(page, 'from the server')
}

const entries = []
for (let trace = 0; entries.length < 100_000; trace++)
  entries.push(...recording({ agents: 20, tokens: 480, trace: `trace-${trace}` }))
entries.length = Math.min(entries.length, 100_000)
const jsonl = `${entries.map(({ envelope }) => JSON.stringify(envelope)).join('\n')}\n`
const path = join(folder, 'big.jsonl')
writeFileSync(path, jsonl)
console.log(
  `load ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} cores (the limits are for a machine with nothing else to do)`,
)
console.log(
  `studio: ${entries.length.toLocaleString('en-US')} envelopes, ${(jsonl.length / 1e6).toFixed(1)} MB`,
)

report('eager JavaScript, gzip', eagerBytes() / 1000, 220, 'kB')
console.log(
  `     chunks: ${readdirSync(join(studio, 'app-dist/assets')).filter((name) => name.endsWith('.js')).length}`,
)
const { child, url } = await startServer()
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--enable-precise-memory-info'],
})
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await measureFrames(await context.newPage(), url)
  await measureFile(await context.newPage(), url, path, entries.length)
  await measureThread(await context.newPage(), url, jsonl)
} finally {
  await browser.close()
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  rmSync(folder, { recursive: true, force: true })
}
process.exit(isWell ? 0 : 1)
