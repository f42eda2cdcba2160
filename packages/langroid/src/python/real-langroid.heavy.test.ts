import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EventType } from '@ag-ui/client'
import type { BaseEvent } from '@ag-ui/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, listen, outline } from '../testing/agui-client.ts'
import type { Listening } from '../testing/agui-client.ts'
import { LangroidAgent } from '../langroid-agent.ts'
import { createLangroidApp } from '../langroid-app.ts'
import {
  BEGIN,
  CALL,
  frontendTools,
  scenarioAgent,
  scenarioConfig,
  scenarioModel,
  scenarios,
  TEXT,
} from '../testing/scenarios.ts'
import { Task } from '../native/task.ts'
import { PythonAgent } from './python-agent.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const python = process.env['LANGROID_PYTHON'] ?? `${root}.venv/bin/python`
const fixtures = `${root}fixtures`

function whyNot(): string | null {
  if (!existsSync(python)) return `there is no ${python}: run "npm run test:langroid", which makes it`
  try {
    // Importing it would download tiktoken's tables, which the worker knows how to live without.
    execFileSync(python, ['-c', 'import importlib.metadata as m; m.version("langroid")'], { stdio: 'pipe' })
    return null
  } catch (error) {
    return `langroid is not installed: ${String(error).slice(0, 300)}`
  }
}
const reason = whyNot()
// A skip that nobody sees is a hole: say why.
if (reason !== null) process.stderr.write(`\nSKIPPED real Langroid tests: ${reason}\n`)

describe.skipIf(reason !== null)(`real Langroid${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
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
  function worker(app: string, onStderr = (_text: string): void => undefined): PythonAgent {
    const env = { MODEL_URL: model.baseUrl }
    return PythonAgent({ app, name: 'scenario', python, cwd: fixtures, env, onStderr })
  }

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

  test('a worker killed in mid-run ends the run in an error, and the next run has the full history', async () => {
    const { run } = connect('client 1.0.0', real.url, 'killed')
    await run([{ id: 'u1', role: 'user', content: 'say hello' }], [])
    const dying = run([{ id: 'u2', role: 'user', content: 'say it slowly' }], [])
    await waitFor(() => JSON.stringify(model.requests().at(-1)).includes('say it slowly'))
    process.kill(backend.pid!, 'SIGKILL')
    expect((await dying).events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'LANGROID_WORKER_EXITED' })
    const { events } = await run([{ id: 'u3', role: 'user', content: 'say hello' }], [])
    expect(outline(events).at(-1)).toBe('RUN_FINISHED')
    const [first, second] = userTexts(model.requests().at(-1))
    expect([first, second]).toEqual(['say hello', 'say it slowly'])
  }, 60_000)

  test('a run is cancelled when its client goes away', async () => {
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
  }, 120_000)

  test('tools written as text are hidden, run and answered', async () => {
    const server = await serve(LangroidAgent(worker('scenario_app:build_text')))
    const { agent, run } = connect('client 1.0.0', server.url, 'text')
    const { events } = await run([{ id: 'u', role: 'user', content: 'text tool' }], [])
    expect(outline(events)).toEqual([...BEGIN, ...TEXT, ...CALL, 'TOOL_CALL_RESULT', ...TEXT, 'RUN_FINISHED'])
    expect(agent.messages.flatMap((m) => (m.role === 'assistant' ? [m.content] : []))).toEqual([
      'I square. ',
      'It is 16.',
    ])
  }, 60_000)

  test('a tool of the client that was written as text is answered in the next run', async () => {
    const server = await serve(LangroidAgent(worker('scenario_app:build_text')))
    const { agent, run } = connect('client 1.0.0', server.url, 'paint')
    await run([{ id: 'u', role: 'user', content: 'paint' }], frontendTools)
    const asked = agent.messages.findLast((message) => message.role === 'assistant')
    const toolCallId = asked?.toolCalls?.[0]?.id ?? ''
    expect(asked?.toolCalls?.[0]?.function).toEqual({
      name: 'change_background',
      arguments: '{"background":"blue"}',
    })
    await run([{ id: 'r', role: 'tool', toolCallId, content: 'refused' }], frontendTools)
    expect(agent.messages.at(-1)?.content).toBe('As you wish.')
  }, 60_000)

  test('a task shows its sub-task', async () => {
    const server = await serve(LangroidAgent(worker('scenario_app:build_task')))
    const { run } = connect('client 1.0.0', server.url, 'task')
    const { events } = await run([{ id: 'u', role: 'user', content: 'delegate' }], [])
    const types = outline(events)
    expect(types).toContain('SUBAGENT_STARTED')
    expect(types.at(-1)).toBe('RUN_FINISHED')
    expect(
      events
        .filter((e) => e.type === EventType.TEXT_MESSAGE_CONTENT)
        .map((e) => ('delta' in e ? e.delta : '')),
    ).toEqual(['what is 2*3?', 'six', 'DONE six'])
  }, 60_000)

  test('a task that asks its user ends the run there, and hears the user in the next', async () => {
    const server = await serve(LangroidAgent(worker('scenario_app:build_interactive_task')))
    const { agent, run } = connect('client 1.0.0', server.url, 'interactive')
    const { events } = await run([{ id: 'u', role: 'user', content: 'text tool' }], [])
    expect(outline(events).at(-1)).toBe('RUN_FINISHED')
    expect(agent.messages.at(-1)?.content).toBe('It is 16.')
    await run([{ id: 'v', role: 'user', content: 'and now?' }], [])
    expect(agent.messages.at(-1)?.content).toBe('Mock.')
  }, 60_000)

  test('what a handler does to its process, its stdin and its stdout does not harm the worker', async () => {
    let printed = ''
    const hardy = worker('scenario_app:build_text', (text) => void (printed += text))
    const server = await serve(LangroidAgent(hardy))
    const pids = new Set<number | undefined>()
    for (const [how, result] of [
      ['nan', 'survived'],
      ['print', 'survived'],
      ['stdin', 'read 0'],
      ['exit', 'sys.exit(7)'],
    ] as const) {
      const { agent, run } = connect('client 1.0.0', server.url, how)
      const { events } = await run([{ id: 'u', role: 'user', content: `be hostile: ${how}` }], [])
      expect(outline(events).at(-1)).toBe('RUN_FINISHED')
      expect(agent.messages.find((message) => message.role === 'tool')?.content).toContain(result)
      pids.add(hardy.pid)
    }
    expect(pids.size).toBe(1)
    for (const words of ['a print', 'a write', "a child's print"]) expect(printed).toContain(words)
  }, 120_000)

  test('ends when whoever started it has gone, though a handler blocks, and so does what that started', async () => {
    const args = ['-u', `${root}python/skein_worker.py`, '--app', 'scenario_app:build_text']
    const child = spawn(python, args, {
      cwd: fixtures,
      env: { PATH: process.env['PATH'] ?? '' },
      detached: true,
    })
    child.stdout.resume()
    // What it started holds its stderr open, so this is the end of both.
    const ended = once(child, 'close')
    const run = {
      v: 1,
      id: '1',
      op: 'run',
      run: 'r',
      thread: 't',
      messages: [],
      input: { kind: 'user', text: 'be hostile: block' },
      tools: [],
      limits: { max_turns: 4, max_repeats: 2 },
      return_after: [],
    }
    child.stdin.write(`${JSON.stringify(run)}\n`)
    let printed = ''
    child.stderr.on('data', (data) => (printed += String(data)))
    await waitFor(() => printed.includes('blocked'))
    child.stdin.end()
    expect(await ended).toEqual([null, 'SIGKILL'])
  }, 60_000)

  test("the golden task table is Langroid's own", () => {
    const program = [
      'import runpy, sys, json, types',
      `worker = runpy.run_path(${JSON.stringify(`${root}python/skein_worker.py`)}, run_name="skein_worker")`,
      'worker["survive_without_tiktoken"]()',
      'sys.modules["skein_worker"] = types.SimpleNamespace(update=worker["update"])',
      'import langroid, scenario_app',
      'from langroid.utils.configuration import settings',
      'settings.quiet, settings.cache = True, False',
      'rows = {name: scenario_app.golden(name) for name in scenario_app.GOLDENS}',
      'print("GOLDEN " + json.dumps(rows), file=sys.stderr)',
    ].join('\n')
    // The worker module sends everything that is not protocol to stderr.
    const { stderr } = spawnSync(python, ['-c', program], {
      cwd: fixtures,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', MODEL_URL: '' },
    })
    expect(JSON.parse(/GOLDEN (.*)/.exec(stderr)?.[1] ?? JSON.stringify(stderr))).toEqual({
      'plain text stalls': null,
      'one round': 'hello',
      DONE: ': it is 16',
      'prose with DONE': 'all  now',
      'not knowing stalls': null,
      'an unknown tool stalls': null,
      'an answer of the model': 'hello',
    })
  }, 120_000)
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
