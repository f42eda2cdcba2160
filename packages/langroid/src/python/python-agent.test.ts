import { fileURLToPath } from 'node:url'
import { memoryThreads } from '@clewline/agui'
import { verify } from '@clewline/core/check'
import type { Envelope } from '@clewline/core'
import { afterEach, describe, expect, test } from 'vitest'
import { LangroidAgent } from '../langroid-agent.ts'
import { PythonAgent, type PythonAgentConfig } from './python-agent.ts'

const fake = fileURLToPath(new URL('../testing/fake-worker.mjs', import.meta.url))
const never = new AbortController().signal
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function world(config: Partial<PythonAgentConfig> = {}) {
  const python = PythonAgent({
    app: 'fake:build',
    command: { command: process.execPath, args: [fake] },
    timings: { backOffMs: 20, pingMs: 100, pongMs: 10_000 },
    ...config,
  })
  const source = LangroidAgent(python)
  open.push(source)
  const threads = memoryThreads({ agents: { [source.name]: source }, keep: 'trace' })
  let runs = 0

  async function start(
    text: string,
    thread_id = 't',
  ): Promise<{ run_id: string; position: number; thread_id: string }> {
    const run_id = `r${++runs}`
    const request = {
      kind: 'input' as const,
      input: { messages: [{ id: `u${runs}`, role: 'user', content: text }] },
    }
    const started = await threads.start({
      thread_id,
      run_id,
      agent: source.name,
      request,
      tools: [],
      configurable: {},
    })
    return { ...started, thread_id }
  }
  async function read(thread_id: string, after = 0): Promise<Envelope[]> {
    const envelopes: Envelope[] = []
    for await (const entries of threads.read(thread_id, { after, follow: false, signal: never }))
      envelopes.push(...entries.map(({ envelope }) => envelope))
    return envelopes
  }
  async function say(
    text: string,
    thread_id = 't',
  ): Promise<{ text: string; last: Envelope | undefined; status: string }> {
    const { run_id, position } = await start(text, thread_id)
    const { status } = await threads.settled(thread_id, run_id, never)
    const envelopes = await read(thread_id, position)
    expect(verify(envelopes)).toEqual([])
    const words = envelopes.map((e) => (e.type === 'llm_token' ? e.payload.text : ''))
    return { text: words.join(''), last: envelopes.at(-1), status }
  }
  return { python, threads, start, say, read }
}

describe('a Python worker', () => {
  test('is started by the first run only, and gets the whole history with each', async () => {
    const { python, say } = world()
    expect(python.pid).toBeUndefined()
    expect(await say('one')).toMatchObject({ text: '0 before: one', status: 'success' })
    expect(python.pid).toBeGreaterThan(0)
    expect(await say('two')).toMatchObject({ text: '2 before: two', status: 'success' })
  })

  test.each([
    ['dies', 'crash', /exited by SIGKILL/],
    ['writes what is not JSON', 'garbage', /cannot be read/],
    ['breaks the protocol', 'wrong-shape', /cannot be read/],
    ['hangs', 'hang', /did not answer within 2000 ms/],
  ])(
    'that %s ends the run in an error, and the next run has the full history',
    async (_name, text, message) => {
      const { say } = world(text === 'hang' ? { timings: { backOffMs: 20, pingMs: 100, pongMs: 2000 } } : {})
      await say('one')
      const { last, status } = await say(text)
      expect(status).toBe('error')
      expect(last).toMatchObject({
        type: 'error',
        payload: { class: 'LANGROID_WORKER_EXITED', message: expect.stringMatching(message) },
      })
      expect(await say('again')).toMatchObject({ text: '3 before: again', status: 'success' })
    },
  )

  test('that dies takes only its own runs with it', async () => {
    const { start, say, threads } = world()
    const slow = await start('slow', 'a')
    await say('crash', 'b')
    expect(await threads.settled('a', slow.run_id, never)).toMatchObject({ status: 'error' })
    expect(await say('again', 'a')).toMatchObject({ status: 'success' })
  })

  test.each(['slow', 'deaf'])(
    'that is %s is left behind by a cancel, and its late events are dropped',
    async (text) => {
      const { start, threads, read, say } = world()
      const { run_id } = await start(text)
      for await (const entries of threads.read('t', { after: 0, follow: true, signal: never }))
        if (entries.some(({ envelope }) => envelope.type === 'llm_token')) break
      const began = performance.now()
      await threads.cancel('t', run_id)
      expect(await threads.settled('t', run_id, never)).toMatchObject({ status: 'cancelled' })
      // One that hears the cancel is not given the grace of one that does not.
      if (text === 'slow') expect(performance.now() - began).toBeLessThan(1900)
      const envelopes = await read('t')
      expect(verify(envelopes)).toEqual([])
      expect(JSON.stringify(envelopes)).not.toContain('too late')
      expect(await say('next')).toMatchObject({ status: 'success' })
    },
  )

  test('may say more than a reader takes at once: nothing is lost', async () => {
    expect((await world().say('flood')).text).toHaveLength(5000)
  })

  test('does not hear the environment of the server', async () => {
    process.env['CLEWLINE_TEST_SECRET'] = 'x'
    process.env['CLEWLINE_TEST_PASSED'] = 'x'
    const { say } = world({ passEnv: ['CLEWLINE_TEST_PASSED'], env: { MY_OWN: '1' } })
    const { text } = await say('environment')
    delete process.env['CLEWLINE_TEST_SECRET']
    delete process.env['CLEWLINE_TEST_PASSED']
    expect(text).not.toContain('CLEWLINE_TEST_SECRET')
    expect(text).toMatch(/CLEWLINE_TEST_PASSED.*MY_OWN/)
  })

  test('hides the tools that its model writes as text', async () => {
    expect((await world().say('text-tool')).text).toBe('I square.  Done.')
  })

  test.each([
    ['cannot load its app', 'fatal', /No module named 'langroid'/],
    ['speaks another protocol', 'old', /protocol 0/],
    ['is never ready', 'never-ready', /not ready after 300 ms/],
  ])('that %s says so in the error of the run', async (_name, mode, message) => {
    const readyMs = mode === 'never-ready' ? 300 : 60_000
    const { say } = world({ env: { FAKE_WORKER: mode }, timings: { readyMs, backOffMs: 1 } })
    const { last } = await say('hi')
    expect(last).toMatchObject({ type: 'error', payload: { message: expect.stringMatching(message) } })
  })

  test.each([
    ['program', { command: { command: 'no-such-python', args: [] } }, /no-such-python.*Set `python`/],
    ['folder', { cwd: '/no/such/folder' }, /The folder …\/folder \(`cwd`\) is not there/],
  ])('whose %s is not there says so', async (_name, config, message) => {
    const { last } = await world(config).say('hi')
    expect(last).toMatchObject({ payload: { message: expect.stringMatching(message) } })
  })

  test('that keeps dying is not started again for a while, and says what it died of', async () => {
    const { say } = world({ timings: { maxDeaths: 2, backOffMs: 1 } })
    await say('crash')
    await say('crash')
    expect((await say('hi')).last).toMatchObject({
      payload: { message: expect.stringMatching(/died 2 times.*exited by SIGKILL/) },
    })
  })

  test('that dies takes with it what it started, which may hold its pipes open', async () => {
    const { say } = world()
    const { last, text } = await say('child-and-crash')
    expect(last).toMatchObject({ payload: { message: expect.stringMatching(/exited by SIGKILL/) } })
    await expect.poll(() => isAlive(Number(text))).toBe(false)
  })

  test('whose app is given as a file is refused, with the words to write', () => {
    expect(() => PythonAgent({ app: './apps.py:chat' })).toThrow(
      expect.objectContaining({
        code: 'bad-config',
        hint: "Write app: 'apps:chat', with cwd: '.', from where Python imports it.",
      }),
    )
  })

  test('ends when its agent is closed', async () => {
    const { python, say } = world()
    await say('hi')
    const pid = python.pid!
    await python.close()
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
  })
})
