import { readFileSync } from 'node:fs'
import { EventType, type BaseEvent } from '@ag-ui/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LangroidAgent } from '../langroid-agent.ts'
import { createLangroidApp } from '../langroid-app.ts'
import { Task } from '../native/task.ts'
import { connect, listen, outline, type Listening } from '../testing/agui-client.ts'
import { realAgent, skipped, whyNoLangroid } from '../testing/real-python.ts'
import {
  frontendTools,
  scenarioAgent,
  scenarioConfig,
  scenarioModel,
  scenarios,
} from '../testing/scenarios.ts'
import type { PythonAgent } from './python-agent.ts'

describe.skipIf(whyNoLangroid !== null)(`real Langroid${skipped}`, () => {
  let model: Awaited<ReturnType<typeof scenarioModel>>
  const open: { close(): Promise<void> }[] = []
  let native: Listening
  let real: Listening
  let backend: PythonAgent

  async function serve(agent: LangroidAgent): Promise<Listening> {
    const server = await listen(createLangroidApp(agent))
    open.push(server, agent)
    return server
  }
  const worker = (app: string): PythonAgent => realAgent(app, { env: { MODEL_URL: model.baseUrl } })

  beforeAll(async () => {
    model = await scenarioModel()
    backend = worker('scenario_app:build')
    native = await serve(LangroidAgent(scenarioAgent(model.baseUrl), scenarioConfig))
    real = await serve(LangroidAgent(backend, { ...scenarioConfig, threads: { max: 50 } }))
  }, 120_000)
  afterAll(async () => {
    await Promise.all(open.map((one) => one.close()))
    await model.stop()
  })

  test.each(scenarios)(
    'says what a native agent says: $name',
    async (scenario) => {
      const said: string[][][] = []
      for (const [place, url] of Object.entries({ native: native.url, real: real.url })) {
        const { agent, run } = connect('client 1.0.0', url, `${place} ${scenario.name}`)
        const turns: string[][] = []
        for (const turn of scenario.turns) {
          const { events } = await run(turn, frontendTools)
          turns.push(comparable(events))
        }
        said.push(turns)
        if (place === 'real') {
          expect(agent.messages.findLast((m) => m.role === 'assistant')?.content).toBe(scenario.says)
          if (scenario.state !== undefined) expect(agent.state).toEqual(scenario.state)
        }
      }
      expect(said[1]).toEqual(said[0])
    },
    60_000,
  )

  test.each(scenarios.filter(({ name }) => TASKS.has(name)))(
    'as a task too: $name',
    async (scenario) => {
      const task = await serve(LangroidAgent(Task(scenarioAgent(model.baseUrl)), scenarioConfig))
      const realTask = await serve(LangroidAgent(worker('scenario_app:build_chat_task'), scenarioConfig))
      const said: string[][][] = []
      for (const { url } of [task, realTask]) {
        const { run } = connect('client 1.0.0', url, scenario.name)
        const turns: string[][] = []
        for (const turn of scenario.turns) turns.push(comparable((await run(turn, frontendTools)).events))
        said.push(turns)
      }
      expect(said[1]).toEqual(said[0])
      expect(said[0]?.at(-1)?.at(-1)).toMatch(/^RUN_FINISHED/)
    },
    60_000,
  )

  test('streams tokens as they come', async () => {
    const { run } = connect('client 1.0.0', real.url, 'streaming')
    const { events } = await run([{ id: 'u', role: 'user', content: 'say it slowly' }], [])
    expect(events.filter((event) => event.type === EventType.TEXT_MESSAGE_CONTENT).length).toBeGreaterThan(3)
  })

  test('runs threads side by side: all are asked before the first is answered', async () => {
    const say = (thread: string, content: string) =>
      connect('client 1.0.0', real.url, thread).run([{ id: content, role: 'user', content }], [])
    const asked = (): number =>
      model.requests().filter((request) => userTexts(request).includes('take your time')).length
    // Building an agent takes a while; that is not what is looked at.
    for (const thread of ['a', 'b', 'c']) await say(thread, 'say hello')
    await Promise.race(['a', 'b', 'c'].map((thread) => say(thread, 'take your time')))
    expect(asked()).toBe(3)
  }, 60_000)

  test('a worker killed in mid-run is started again, and the run goes on; the next one has the full history', async () => {
    const { run } = connect('client 1.0.0', real.url, 'killed')
    await run([{ id: 'u1', role: 'user', content: 'say hello' }], [])
    const dying = run([{ id: 'u2', role: 'user', content: 'say it slowly' }], [])
    await waitFor(() => JSON.stringify(model.requests().at(-1)).includes('say it slowly'))
    process.kill(backend.pid!, 'SIGKILL')
    expect(outline((await dying).events).at(-1)).toBe('RUN_FINISHED')
    const { events } = await run([{ id: 'u3', role: 'user', content: 'say hello' }], [])
    expect(outline(events).at(-1)).toBe('RUN_FINISHED')
    const [first, second] = userTexts(model.requests().at(-1))
    expect([first, second]).toEqual(['say hello', 'say it slowly'])
  }, 60_000)

  test('a run is cancelled when its client disconnects', async () => {
    const leave = new AbortController()
    const response = await fetch(real.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        threadId: 'left',
        messages: [{ id: 'u', role: 'user', content: 'say it slowly' }],
      }),
      signal: leave.signal,
    })
    await response.body!.getReader().read()
    leave.abort()
    const { run } = connect('client 1.0.0', real.url, 'left')
    let last: string | undefined
    await waitFor(async () => {
      const { events } = await run([{ id: crypto.randomUUID(), role: 'user', content: 'say hello' }], [])
      last = outline(events).at(-1)
      return last !== 'RUN_ERROR'
    })
    expect(last).toBe('RUN_FINISHED')
  })

  test('200 threads with room for 50 stay bounded', async () => {
    const sizes: number[] = []
    for (let i = 0; i < 200; i++) {
      await connect('client 1.0.0', real.url, `many ${i}`).run(
        [{ id: 'u', role: 'user', content: 'say hello' }],
        [],
      )
      if (i === 79 || i === 199) sizes.push(residentKilobytes(backend.pid!))
    }
    const [early = 0, late = 0] = sizes
    process.stderr.write(`Langroid worker: ${early} kB after 80 threads, ${late} kB after 200\n`)
    // 120 more threads; without eviction they cost about 0.5 MB each.
    expect(late - early).toBeLessThan(30_000)
  }, 300_000)
})

const TASKS = new Set(['text', 'a frontend tool that the user refuses', 'a backend tool with state hooks'])

/** Events without what differs by nature: ids, times, the cutting of deltas, words of a validation library. */
function comparable(events: readonly BaseEvent[]): string[] {
  const joined: { type: string; text: string }[] = []
  for (const event of events) {
    const { type } = event
    const last = joined.at(-1)
    const delta = 'delta' in event && typeof event.delta === 'string' ? event.delta : undefined
    if (delta !== undefined && last?.type === type) last.text += delta
    else joined.push({ type, text: delta ?? contentOf(event) })
  }
  return joined.map(({ type, text }) => `${type} ${normal(text)}`)
}

function contentOf(event: BaseEvent): string {
  if (event.type === EventType.TOOL_CALL_RESULT && 'content' in event) return String(event.content)
  if (event.type === EventType.TOOL_CALL_START && 'toolCallName' in event) return String(event.toolCallName)
  if (event.type === EventType.STATE_SNAPSHOT && 'snapshot' in event) return JSON.stringify(event.snapshot)
  if (event.type === EventType.STATE_DELTA && 'delta' in event) return JSON.stringify(event.delta)
  if (event.type === EventType.RUN_ERROR && 'code' in event) return String(event.code)
  return ''
}

/** Arguments and states compare as values, not by how they are spaced. */
function normal(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

function userTexts(request: unknown): readonly string[] {
  const body = (request as { body: { messages: { role: string; content: string }[] } }).body
  return body.messages.filter((message) => message.role === 'user').map((message) => message.content)
}

function residentKilobytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
}

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
