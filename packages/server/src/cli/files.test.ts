import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verify } from '@clewline/core/check'
import { describe, expect, test, vi } from 'vitest'
import { lines, useShell } from './testing/shell.ts'

vi.setConfig({ testTimeout: 60_000 })
const { folder, clewline, start } = useShell()
const page = await readFile(new URL('../../../../PROTOCOL.md', import.meta.url), 'utf8')
const recording = /```jsonl\n([^]*?)```/.exec(page)?.[1] ?? ''

describe('clewline verify', () => {
  test('says ok with the size of the stream, from a file or from standard input', async () => {
    const file = join(folder(), 'good.jsonl')
    await writeFile(file, recording)
    expect(await clewline(['verify', file])).toEqual({ code: 0, out: 'ok: 16 envelopes, 3 calls\n', err: '' })
    expect((await clewline(['verify', '-'], recording)).code).toBe(0)
    expect(JSON.parse((await clewline(['verify', file, '--json'])).out)).toEqual({
      ok: true,
      envelopes: 16,
      calls: 3,
      problems: [],
    })
  })

  test('names the line of each problem and reads on', async () => {
    const broken = recording.split('\n')
    broken.splice(2, 1, 'not json')
    const { code, out } = await clewline(['verify', '-'], broken.join('\n'))
    expect(code).toBe(1)
    expect(out).toMatch(/^stdin:3: not-an-envelope: Not JSON: /)
    expect(out).toContain('stdin:4: seq: ')
    expect(out).toMatch(/2 problems in 15 envelopes, 3 calls\n$/)
  })

  test.each(['verify', 'adapt', 'replay'])('%s stops at Ctrl-C while it waits for input', async (command) => {
    const child = start([command, '-'])
    const exit = once(child, 'exit')
    // Once it has read a line it is there to be interrupted.
    child.stdin.write('not json\n')
    await once(command === 'verify' ? child.stdout : child.stderr, 'data')
    child.kill('SIGINT')
    expect(await exit).toEqual([130, null])
  })
})

describe('clewline adapt', () => {
  const event = (name: string, data: object, more: object = {}): string =>
    JSON.stringify({ event: name, run_id: 'r1', name: 'LangGraph', tags: [], metadata: {}, data, ...more })
  const began = event('on_chain_start', { input: { messages: [] } })
  const end = event('on_chain_end', { output: { messages: [{ role: 'assistant', content: 'Done.' }] } })

  test('turns recorded events into envelopes that keep every rule, under the name that is given', async () => {
    const { code, out } = await clewline(
      ['adapt', '-', '--label', 'mine', '--trace', 't1'],
      `${began}\n${end}\n`,
    )
    expect(code).toBe(0)
    const envelopes = lines(out)
    expect(verify(envelopes)).toEqual([])
    expect(envelopes[0]).toMatchObject({
      type: 'tool_start',
      trace_id: 't1',
      payload: { tool_name: 'mine', kind: 'graph' },
    })
    expect(envelopes.at(-1)).toMatchObject({
      type: 'tool_end',
      payload: { result: { messages: [{ text: 'Done.' }] } },
    })
  })

  test('a bad line is named and the rest is still read', async () => {
    const { code, out, err } = await clewline(['adapt', '-'], `${began}\n{"event":\n\n{"a":1}\n${end}\n`)
    expect(code).toBe(1)
    expect(err).toMatch(/^clewline: stdin:2: Not JSON: .*\nclewline: stdin:4: Not an event of LangGraph\.\n$/)
    expect(lines(out).at(-1)?.type).toBe('tool_end')
  })

  // The other recordings are golden files of @clewline/langgraph.
  test.each(['langgraph-events-v2-nested', 'deepagents-events-stream'])(
    '%s, adapted, passes verify',
    async (name) => {
      const file = new URL(`../../../langgraph/src/goldens/samples/${name}.jsonl`, import.meta.url)
      const { code, out } = await clewline(['adapt', fileURLToPath(file)])
      expect(code).toBe(0)
      expect(verify(lines(out))).toEqual([])
    },
  )
})

describe('clewline replay', () => {
  test('tells a recording in plain lines, with the answer last', async () => {
    const { code, out } = await clewline(['replay', '-', '--speed', 'max'], recording)
    expect(code).toBe(0)
    expect(out).toContain('? Open a page that needs a login?')
    expect(out).toMatch(/3 calls · 21 tokens in · 14 out · 3\.8s\nYes\.\n$/)
  })

  test('prints envelopes marked as replay, and AG-UI events', async () => {
    const envelopes = lines((await clewline(['replay', '-', '--speed', 'max', '--json'], recording)).out)
    expect(envelopes.map(({ origin }) => origin)).toEqual(Array.from({ length: 16 }, () => 'replay'))
    const agui = lines<{ type: string }>(
      (await clewline(['replay', '-', '--speed', 'max', '--to', 'agui'], recording)).out,
    )
    expect(agui.map(({ type }) => type).filter((type) => type.startsWith('RUN'))).toEqual([
      'RUN_STARTED',
      'RUN_FINISHED',
      'RUN_STARTED',
      'RUN_FINISHED',
    ])
  })

  test('keeps the pace of the recording, times the speed', async () => {
    const began = performance.now()
    await clewline(['replay', '-', '--speed', '5', '--json'], recording)
    // 3.75 s were recorded.
    expect(performance.now() - began).toBeGreaterThan(700)
  })
})
