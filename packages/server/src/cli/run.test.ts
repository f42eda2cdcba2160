import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { verify } from '@clewline/core/check'
import { describe, expect, test, vi } from 'vitest'
import { config, ended, lines, useShell, type Ended } from './testing/shell.ts'

vi.setConfig({ testTimeout: 60_000 })
const { folder, clewline, start } = useShell()

describe('clewline run', () => {
  const run = (...args: string[]): Promise<Ended> => clewline(['run', 'echo', ...args, '--config', config])

  test('prints the answer on standard output and what happens on standard error', async () => {
    const { code, out, err } = await run('Hello there', '--store', ':memory:', '--model', 'test:big')
    expect({ code, out }).toEqual({ code: 0, out: 'You said: Hello there\n' })
    expect(err).toContain('> echo')
    expect(err).toContain('2 calls · 2 tokens in · 2 out')
    expect(err).toMatch(/thread [-\w]+\n$/)
  })

  test('reads the message from standard input, and is quiet when asked', async () => {
    const args = ['run', 'echo', '-', '-q', '--config', config, '--store', ':memory:']
    expect(await clewline(args, 'from a pipe\n')).toEqual({
      code: 0,
      out: 'You said: from a pipe\n',
      err: '',
    })
  })

  test('prints envelopes that keep every rule', async () => {
    const { code, out } = await run('a b c', '--json', '--store', ':memory:')
    expect(code).toBe(0)
    expect(verify(lines(out))).toEqual([])
  })

  test('a promise that an agent forgot is told, and ends neither the run nor the process', async () => {
    const { code, out, err } = await run('forget', '--store', ':memory:')
    expect({ code, out }).toEqual({ code: 0, out: 'You said: forget\n' })
    expect(err).toContain('nobody was waiting for it; going on. Error: Nobody waits for me.')
  })

  test('a run that fails ends with exit code 1 and the reason', async () => {
    const { code, err } = await run('fail', '--store', ':memory:')
    expect(code).toBe(1)
    expect(err).toContain('clewline: the run failed: It was asked to.')
  })

  test('an agent that is not there is named, with those that are', async () => {
    const { code, err } = await clewline(['run', 'other', 'x', '--config', config, '--store', ':memory:'])
    expect(code).toBe(2)
    expect(err).toContain('other')
    expect(err).toContain('echo')
  })

  test('a question ends with exit code 3; the answer goes on with the same thread, in another process', async () => {
    const store = join(folder(), 'asking')
    const asked = await run('ask', '--thread', 't1', '--store', store)
    expect(asked.code).toBe(3)
    expect(asked.err).toContain('? Really?')
    expect(asked.err).toContain(
      `clewline run echo --thread t1 --store ${store} --config ${config} --resume ANSWER`,
    )
    const answered = await run('--thread', 't1', '--resume', 'yes', '--store', store)
    expect(answered).toMatchObject({ code: 0, out: 'You said: "yes"\n' })
    const log = await clewline(['export', 't1', '--store', store])
    expect(verify(lines(log.out))).toEqual([])
    expect(new Set(lines(log.out).map(({ trace_id }) => trace_id)).size).toBe(1)
  })

  test('Ctrl-C cancels the run, whose calls all end', async () => {
    const child = start(['run', 'echo', 'wait', '--json', '--config', config, '--store', ':memory:'])
    child.stdout.once('data', () => child.kill('SIGINT'))
    const { code, out } = await ended(child)
    expect(code).toBe(130)
    expect(verify(lines(out))).toEqual([])
  })
})

describe('a Clewline that was started', () => {
  interface Served {
    readonly url: string
    readonly store: string
    readonly child: ChildProcessWithoutNullStreams
  }

  async function serving(args: readonly string[] = [], at?: Pick<Served, 'store' | 'url'>): Promise<Served> {
    const store = at?.store ?? (await mkdtemp(join(folder(), 'store-')))
    const port = at === undefined ? '0' : new URL(at.url).port
    const child = start(['start', '--port', port, '--json', '--config', config, '--store', store, ...args])
    const [line]: unknown[] = await once(createInterface(child.stdout), 'line')
    const { url, agents }: { url: string; agents: string[] } = JSON.parse(String(line))
    expect(agents).toEqual(['echo'])
    return { url, store, child }
  }

  test('is used by run, watch and export through --url, and stops on SIGTERM with exit code 0', async () => {
    const { url, child } = await serving()
    const said = await clewline(['run', 'echo', 'Hello', '--thread', 't1', '--url', url])
    expect(said).toMatchObject({ code: 0, out: 'You said: Hello\n' })
    const watched = await clewline(['watch', 't1', '--once', '--json', '--url', url])
    expect(verify(lines(watched.out))).toEqual([])
    const exported = await clewline(['export', 't1', '--url', url, '-o', 'out.jsonl'])
    expect(exported).toMatchObject({ code: 0, err: '5 envelopes written to out.jsonl\n' })
    expect((await clewline(['verify', 'out.jsonl'])).out).toBe('ok: 5 envelopes, 2 calls\n')
    expect((await clewline(['watch', 'nope', '--url', url])).code).toBe(2)
    child.kill('SIGTERM')
    expect((await once(child, 'close'))[0]).toBe(0)
  })

  test('that has the store of this directory is asked by run, without being named', async () => {
    const { store } = await serving()
    const args = ['run', 'echo', 'Hello', '--config', config, '--store', store]
    const said = await clewline(args)
    expect(said).toMatchObject({ code: 0, out: 'You said: Hello\n' })
    expect(said.err).toContain('The agent runs in the server at http://127.0.0.1:')
    expect(await clewline([...args, '--model', 'some:other'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('in use by another Clewline process'),
    })
  })

  test('in this directory is the one that run, watch and export ask, wherever it listens', async () => {
    const { child } = await serving([], { store: '.clewline', url: 'http://127.0.0.1:0' })
    const said = await clewline(['run', 'echo', 'Hello', '--thread', 'here', '--config', config])
    expect(said).toMatchObject({ code: 0, out: 'You said: Hello\n' })
    const watched = await clewline(['watch', 'here', '--once', '--json'])
    const exported = await clewline(['export', 'here'])
    expect(lines(watched.out)).toEqual(lines(exported.out))
    expect(verify(lines(exported.out))).toEqual([])
    child.kill('SIGTERM')
    await once(child, 'close')
  })

  test('may be killed while somebody watches: the watcher comes back and has every envelope once', async () => {
    const first = await serving()
    const { url } = first
    const headers = { 'content-type': 'application/json' }
    await fetch(`${url}/api/threads`, { method: 'POST', headers, body: '{"thread_id":"t1"}' })
    const running = clewline(['run', 'echo', 'slow', '--thread', 't1', '--url', url])
    const watching = start(['watch', 't1', '--json', '--url', url])
    let tokens = 0
    const seen: string[] = []
    for await (const line of createInterface(watching.stdout)) {
      seen.push(line)
      tokens += line.includes('"llm_token"') ? 1 : 0
      if (tokens === 10) {
        first.child.kill('SIGKILL')
        await once(first.child, 'close')
        await serving([], first)
        tokens += 1
      }
      if (line.includes('"type":"tool_end"')) break
    }
    watching.kill('SIGINT')
    expect((await running).code).toBe(0)
    const whole = await clewline(['export', 't1', '--url', url])
    expect(seen).toEqual(whole.out.trim().split('\n'))
    expect(verify(lines(whole.out))).toEqual([])
    expect(seen.some((line) => line.includes('"attempt":2'))).toBe(true)
  })

  test('asks for its token', async () => {
    const { url } = await serving(['--token', 'secret'])
    const without = await clewline(['run', 'echo', 'x', '--url', url])
    expect(without.code).toBe(1)
    const with_ = await clewline(['run', 'echo', 'x', '-q', '--url', url, '--token', 'secret'])
    expect(with_).toMatchObject({ code: 0, out: 'You said: x\n' })
  })

  test('refuses to listen for others without a token', async () => {
    const { code, err } = await clewline([
      'start',
      '--host',
      '0.0.0.0',
      '--port',
      '0',
      '--config',
      config,
      '--store',
      ':memory:',
    ])
    expect(code).toBe(2)
    expect(err).toContain('without authentication')
  })

  test('a server that is not there is a sentence, not a stack', async () => {
    const { code, err } = await clewline(['watch', 't', '--url', 'http://127.0.0.1:9'])
    expect(code).toBe(1)
    expect(err).toContain('No Clewline answers at http://127.0.0.1:9.')
  })

  test('a worker waits and leaves on SIGTERM', async () => {
    const child = start(['worker', '--json', '--config', config, '--store', ':memory:'])
    child.stdout.once('data', () => child.kill('SIGTERM'))
    expect(await ended(child)).toMatchObject({ code: 0, out: '{"agents":["echo"]}\n' })
  })
})

test('what was run here can be exported from here, without a server', async () => {
  const ran = await clewline(['run', 'echo', 'kept', '--thread', 'here', '-q', '--config', config])
  expect(ran.code).toBe(0)
  const { code, out } = await clewline(['export', 'here'])
  expect([code, verify(lines(out))]).toEqual([0, []])
})

test('an export has a long text once, and verify names the line of a part that is wrong or missing', async () => {
  const long = 'tea and coffee '.repeat(60).trim()
  const ran = await clewline(['run', 'echo', long, '--thread', 'long', '-q', '--config', config])
  expect(ran.code).toBe(0)
  const { out } = await clewline(['export', 'long'])
  expect(out.split(JSON.stringify(long))).toHaveLength(2)
  const at = out.split('\n').findIndex((line) => line.includes(JSON.stringify(long)))
  const file = join(folder(), 'long.jsonl')
  const verified = async (text: string): Promise<string> => {
    await writeFile(file, text)
    return (await clewline(['verify', file])).out
  }
  expect(await verified(out)).toMatch(/^ok: /)
  expect(await verified(out.replace('"tea and', '"TEA and'))).toMatch(
    new RegExp(`^\\S+:${at + 1}: .*The hash of part \\S+ is wrong`),
  )
  expect(await verified(out.split('\n').toSpliced(at, 1).join('\n'))).toMatch(
    /^\S+:\d+: .*The part \S+ is missing/,
  )
})
