import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { lines, useShell } from './testing/shell.ts'

vi.setConfig({ testTimeout: 60_000 })
const { folder, skein } = useShell()
const page = await readFile(new URL('../../../../PROTOCOL.md', import.meta.url), 'utf8')
const recording = /```jsonl\n([^]*?)```/.exec(page)?.[1] ?? ''

describe('skein verify', () => {
  test('says ok with the size of the stream, from a file or from standard input', async () => {
    const file = join(folder(), 'good.jsonl')
    await writeFile(file, recording)
    expect(await skein(['verify', file])).toEqual({ code: 0, out: 'ok: 16 envelopes, 3 calls\n', err: '' })
    expect((await skein(['verify', '-'], recording)).code).toBe(0)
    expect(JSON.parse((await skein(['verify', file, '--json'])).out)).toEqual({
      ok: true,
      envelopes: 16,
      calls: 3,
      problems: [],
    })
  })

  test('names the line of each problem and reads on', async () => {
    const broken = recording.split('\n')
    broken.splice(2, 1, 'not json')
    const { code, out } = await skein(['verify', '-'], broken.join('\n'))
    expect(code).toBe(1)
    expect(out).toMatch(/^stdin:3: not-an-envelope: Not JSON: /)
    expect(out).toContain('stdin:4: seq: ')
    expect(out).toMatch(/2 problems in 15 envelopes, 3 calls\n$/)
  })
})

describe('skein replay', () => {
  test('tells a recording in plain lines, with the answer last', async () => {
    const { code, out } = await skein(['replay', '-', '--speed', 'max'], recording)
    expect(code).toBe(0)
    expect(out).toContain('? {"question":"Open a page that needs a login?"}')
    expect(out).toMatch(/3 calls · 21 tokens in · 14 out · 3\.8s\nYes\.\n$/)
  })

  test('prints envelopes marked as replay, and AG-UI events', async () => {
    const envelopes = lines((await skein(['replay', '-', '--speed', 'max', '--json'], recording)).out)
    expect(envelopes.map(({ origin }) => origin)).toEqual(Array.from({ length: 16 }, () => 'replay'))
    const agui = lines<{ type: string }>(
      (await skein(['replay', '-', '--speed', 'max', '--to', 'agui'], recording)).out,
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
    await skein(['replay', '-', '--speed', '5', '--json'], recording)
    // 3.75 s were recorded.
    expect(performance.now() - began).toBeGreaterThan(700)
  })
})
