import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { EventType } from '@ag-ui/client'
import { afterAll, describe, expect, test } from 'vitest'
import { LangroidAgent } from '../langroid-agent.ts'
import { createLangroidApp } from '../langroid-app.ts'
import { connect, listen, outline, type Listening } from '../testing/agui-client.ts'
import { appRoot, python, realAgent, skipped, whyNoLangroid, workerRoot } from '../testing/real-python.ts'
import { BEGIN, CALL, frontendTools, TEXT } from '../testing/scenarios.ts'

describe.skipIf(whyNoLangroid !== null)(`the worker with scripted agents${skipped}`, () => {
  const open: { close(): Promise<void> }[] = []
  afterAll(() => Promise.all(open.map((one) => one.close())))

  async function serve(agent: LangroidAgent): Promise<Listening> {
    const server = await listen(createLangroidApp(agent))
    open.push(server, agent)
    return server
  }

  test('tools written as text are hidden, run and answered', async () => {
    const server = await serve(LangroidAgent(realAgent('scenario_app:build_text')))
    const { agent, run } = connect('client 1.0.0', server.url, 'text')
    const { events } = await run([{ id: 'u', role: 'user', content: 'text tool' }], [])
    expect(outline(events)).toEqual([...BEGIN, ...TEXT, ...CALL, 'TOOL_CALL_RESULT', ...TEXT, 'RUN_FINISHED'])
    expect(agent.messages.flatMap((m) => (m.role === 'assistant' ? [m.content] : []))).toEqual([
      'I square. ',
      'It is 16.',
    ])
  }, 60_000)

  test('a tool of the client that was written as text is answered in the next run', async () => {
    const server = await serve(LangroidAgent(realAgent('scenario_app:build_text')))
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
    const server = await serve(LangroidAgent(realAgent('scenario_app:build_task')))
    const { run } = connect('client 1.0.0', server.url, 'task')
    const { events } = await run([{ id: 'u', role: 'user', content: 'delegate' }], [])
    const types = outline(events)
    expect(types).toContain('SUBAGENT_STARTED')
    expect(types.at(-1)).toBe('RUN_FINISHED')
    expect(
      events
        .filter((e) => e.type === EventType.TEXT_MESSAGE_CONTENT)
        .map((e) => ('delta' in e ? e.delta : '')),
    ).toEqual(['what is 2*3?', 'six', 'six'])
  }, 60_000)

  test('a task that asks its user ends the run there, and hears the user in the next', async () => {
    const server = await serve(LangroidAgent(realAgent('scenario_app:build_interactive_task')))
    const { agent, run } = connect('client 1.0.0', server.url, 'interactive')
    const { events } = await run([{ id: 'u', role: 'user', content: 'text tool' }], [])
    expect(outline(events).at(-1)).toBe('RUN_FINISHED')
    expect(agent.messages.at(-1)?.content).toBe('It is 16.')
    await run([{ id: 'v', role: 'user', content: 'and now?' }], [])
    expect(agent.messages.at(-1)?.content).toBe('Mock.')
  }, 60_000)

  test.each([
    ['build_guard', 'a secret', ['That is not for you.']],
    ['build_guard', '16', ['IT IS 16.']],
    ['build_clerk', 'text tool', ['I square. ', 'It is 16.']],
    ['build_subclass_task', '16', ['IT IS 16.', 'certainly']],
  ])(
    'blocking responders that an app overrides are used: %s is told "%s"',
    async (app, told, said) => {
      const server = await serve(LangroidAgent(realAgent(`scenario_app:${app}`)))
      const { agent, run } = connect('client 1.0.0', server.url, app)
      await run([{ id: 'u', role: 'user', content: told }], [])
      expect(agent.messages.flatMap((m) => (m.role === 'assistant' ? [m.content] : []))).toEqual(said)
    },
    60_000,
  )

  test('a tool that a sub-agent handles is a call with a result, and no warning', async () => {
    const server = await serve(LangroidAgent(realAgent('scenario_app:build_delegating_task')))
    const { agent, run } = connect('client 1.0.0', server.url, 'delegating')
    const { events } = await run([{ id: 'u', role: 'user', content: 'go' }], [])
    expect(outline(events)).not.toContain('CUSTOM')
    expect(agent.messages.find((message) => message.role === 'tool')?.content).toBe('16')
    expect(agent.messages.at(-1)?.content).toBe('sixteen')
  }, 60_000)

  test('every tool of a task has a result: wrong arguments, JSON without `request`, the one that ends it', async () => {
    const server = await serve(LangroidAgent(realAgent('scenario_app:build_failing_task')))
    const { agent, run } = connect('client 1.0.0', server.url, 'failing')
    await run([{ id: 'u', role: 'user', content: 'go' }], [])
    expect(agent.messages.flatMap((m) => (m.role === 'tool' ? [m.content] : []))).toEqual([
      expect.stringContaining('should be a valid integer'),
      '16',
      'sixteen',
    ])
    const said = agent.messages.flatMap((m) => (m.role === 'assistant' ? [m.content ?? ''] : []))
    expect(said.filter((text) => text !== '')).toEqual(['Like this? ', 'sixteen'])
  }, 60_000)

  test.each([
    ['words the answer', () => 'Sixteen, that is.', 'Sixteen, that is.'],
    ['has no words, so that the model finds them', () => null, 'It is 16.'],
  ])(
    'the hook for the result of a tool in a task %s',
    async (_name, responseFromResult, said) => {
      const worker = realAgent('scenario_app:build_interactive_task')
      const server = await serve(LangroidAgent(worker, { toolBehaviors: { square: { responseFromResult } } }))
      const { agent, run } = connect('client 1.0.0', server.url, said)
      await run([{ id: 'u', role: 'user', content: 'text tool' }], [])
      expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
      expect(agent.messages.at(-1)?.content).toBe(said)
    },
    60_000,
  )

  test('a Langroid that is too old is refused with a sentence', () => {
    const stderr = runPython([
      'import importlib.metadata',
      'from clewline_worker.langroid_compat import check_requirements',
      'importlib.metadata.version = lambda name: "0.58.3"',
      'check_requirements()',
    ])
    expect(stderr).toContain('Langroid 0.58.3 is too old: the worker needs 0.65.16 or later.')
  }, 60_000)

  test('a Python that is too old is named as such, in words that Python 2 can say', () => {
    const main = `${workerRoot}/clewline_worker/__main__.py`
    const stderr = runPython([
      'import io, runpy',
      'sys.version_info, sys.version, sys.stdout = (2, 7, 18), "2.7.18 (default)", io.StringIO()',
      `program = runpy.run_path(${JSON.stringify(main)}, run_name="checked")`,
      'try: program["main"]()',
      'except SystemExit: print("SAID " + sys.stdout.getvalue(), file=sys.stderr)',
    ])
    expect(stderr).toContain('Python 2.7.18 is too old: Langroid needs 3.10 to 3.13.')
    // Neither annotations nor formatted strings: it would not get as far as the sentence.
    expect(readFileSync(main, 'utf8')).not.toMatch(/\) ->|\bf"/)
  }, 60_000)

  test('what a handler does to its process, its stdin and its stdout does not harm the worker', async () => {
    let printed = ''
    const hardy = realAgent('scenario_app:build_text', { onStderr: (text) => void (printed += text) })
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
    for (const words of ['a print', 'a write', "a child's print", 'Traceback', 'sys.exit(7)'])
      expect(printed).toContain(words)
  }, 120_000)

  test('exits when its parent has exited, though a handler blocks, and its children with it', async () => {
    const args = ['-u', `${workerRoot}/clewline_worker`, '--app', 'scenario_app:build_text']
    const child = spawn(python, args, {
      cwd: appRoot,
      env: { PATH: process.env['PATH'] ?? '' },
      detached: true,
    })
    child.stdout.resume()
    // What it started holds its stderr open, so this is the end of both.
    const ended = once(child, 'close')
    const run = {
      v: 2,
      id: '1',
      op: 'run',
      run: 'r',
      thread: 't',
      messages: [],
      input: { kind: 'user', text: 'be hostile: block' },
      tools: [],
      limits: { max_turns: 4, max_task_turns: 4, max_repeats: 2 },
      return_after: [],
      journal: [],
      memory: null,
    }
    child.stdin.write(`${JSON.stringify(run)}\n`)
    let printed = ''
    child.stderr.on('data', (data) => (printed += String(data)))
    await expect.poll(() => printed, { timeout: 50_000 }).toContain('blocked')
    child.stdin.end()
    expect(await ended).toEqual([null, 'SIGKILL'])
  }, 60_000)

  test('arguments of two tools stay apart, also when the chunks of the model cannot be seen', () => {
    const said = runPython([
      'from clewline_worker import model_call',
      'from clewline_worker.run import ModelTurn, Run, current_run, current_turn',
      'class Session: handles = lambda self, name: False',
      'class Agent: llm_tools_handled = set()',
      'run = Run({"run": "r", "messages": [], "tools": [], "journal": [], "limits": {"max_turns": 1}}, Session())',
      'said = []',
      'run.emit = said.append',
      'current_run.set(run)',
      'current_turn.set(ModelTurn(Agent(), "shown", 0))',
      'for name in ["first", "second"]:',
      '    model_call.on_token(name, "TOOL_NAME")',
      '    model_call.on_token(name, "TOOL_ARGS")',
      'print("SAID " + json.dumps([[e["ev"], e["index"], e.get("delta")] for e in said]), file=sys.stderr)',
    ])
    expect(JSON.parse(/SAID (.*)/.exec(said)?.[1] ?? JSON.stringify(said))).toEqual([
      ['tool_name', 0, null],
      ['tool_args', 0, 'first'],
      ['tool_name', 1, null],
      ['tool_args', 1, 'second'],
    ])
  }, 60_000)

  test('an app that calls `update` is imported without side effects, and without Langroid', () => {
    const program = [
      'import sys',
      `sys.path.insert(0, ${JSON.stringify(workerRoot)})`,
      'from clewline_worker import update',
      'update(text="outside of a handler")',
      'print("langroid" in sys.modules)',
    ].join('\n')
    const { stdout } = spawnSync(python, ['-c', program], { encoding: 'utf8' })
    expect(stdout).toBe('False\n')
  })

  test("the golden task table is Langroid's own", () => {
    const stderr = runPython([
      'import scenario_app',
      'from langroid.utils.configuration import settings',
      'settings.quiet, settings.cache = True, False',
      'rows = {name: scenario_app.golden(name) for name in scenario_app.GOLDENS}',
      'print("GOLDEN " + json.dumps(rows), file=sys.stderr)',
    ])
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

/** Runs a program beside the worker's package, and returns its stderr: Langroid prints colours to stdout. */
function runPython(lines: readonly string[]): string {
  const program = [
    'import asyncio, json, sys',
    `sys.path.insert(0, ${JSON.stringify(workerRoot)})`,
    'from clewline_worker.langroid_compat import patch_tiktoken, patch_typing',
    'patch_typing()',
    'patch_tiktoken()',
    ...lines,
  ]
  return spawnSync(python, ['-c', program.join('\n')], {
    cwd: appRoot,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', MODEL_URL: '' },
  }).stderr
}
