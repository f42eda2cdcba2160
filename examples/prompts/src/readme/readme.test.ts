import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LLMock, type FixtureResponse } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const readme = read('../../../../packages/prompts/README.md')
const blocks = [...readme.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language, text]) => ({ language, text }))

const call = (name: string, args: object = {}): FixtureResponse => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
})
const say = (content: string): FixtureResponse => ({ content })

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  first: () => import('./first.ts'),
  sessions: () => import('./sessions.ts'),
  output: () => import('./output.ts'),
  approvals: () => import('./approvals.ts'),
  disclosure: () => import('./disclosure.ts'),
  budgets: () => import('./budgets.ts'),
  policies: () => import('./policies.ts'),
  overrides: () => import('./overrides.ts'),
}

/** What the model answers in each program, in order; the last again and again. */
const scripts: Readonly<Record<string, readonly FixtureResponse[]>> = {
  first: [call('add', { a: 2, b: 2 }), say('It is 4.')],
  sessions: [
    call('put', { name: 'eggs', count: 12 }),
    call('put', { name: 'eggs', count: 10 }),
    say('Ten eggs it is.'),
  ],
  output: [say('{"items":[{"name":"Ada","born":1815},{"name":"Charles","born":null}]}')],
  approvals: [call('send_mail', { to: 'ada@example.org', text: 'Lunch?' }), say('She knows.')],
  disclosure: [
    call('open_sections', { section_keys: ['refunds'], reason: 'money' }),
    call('refund'),
    say('You have it back.'),
  ],
  budgets: [say('A rose.')],
  policies: [
    call('write', { path: 'notes.md', text: 'Buy eggs.' }),
    call('read', { path: 'notes.md' }),
    say('I have read it.'),
    call('write', { path: 'notes.md', text: 'Buy milk and eggs.' }),
    say('Done.'),
  ],
  overrides: [],
}

const printed: Readonly<Record<string, readonly unknown[][]>> = {
  first: [['It is 4.']],
  sessions: [['put', false], ['put', true], [[{ name: 'eggs', count: 10 }]]],
  output: [['Ada', 1815], ['Charles', undefined], [2]],
  approvals: [[expect.objectContaining({ type: 'approval', tool: 'send_mail' })], ['She knows.']],
  disclosure: [
    [['open_sections', 'read_section']],
    [['refund', 'open_sections', 'read_section']],
    ['You have it back.'],
  ],
  budgets: [['A rose.'], ['A rose.'], ['Enough: model_calls, 2.'], [2]],
  policies: [
    [
      `write: Tool 'write' may not be called now. Read "notes.md" with read before you change it, and wait for the result.`,
    ],
    ['read: Buy milk.'],
    ['write: OK'],
  ],
  overrides: [[['task'], []], ['## 1. Task (task)\n\nGreet Ada like an old friend.']],
}

let folder = ''
const before = { ...process.env }
const home = process.cwd()
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'clewline-readme-'))))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  process.env = before
})

describe.each(Object.entries(programs))('the program "%s"', (name, run) => {
  const source = read(`./${name}.ts`)

  test('is in the README, and Node 20 can read it as it is', () => {
    expect(blocks).toContainEqual({ language: 'ts', text: source })
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, source)
    expect(spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr).toBe('')
  })

  test('prints what it should', async () => {
    const server = new LLMock({ port: 0 })
    const script = scripts[name] ?? []
    let calls = 0
    server.on({ predicate: () => true }, () => {
      calls += 1
      return script[Math.min(calls, script.length) - 1] ?? say('')
    })
    await server.start()
    process.env['OPENAI_API_KEY'] = 'none'
    process.env['OPENAI_BASE_URL'] = `${server.url}/v1`
    process.chdir(folder)
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    try {
      await run()
      expect(log.mock.calls).toEqual(printed[name])
    } finally {
      log.mockRestore()
      process.chdir(home)
      await server.stop()
    }
  })
})

test('every program of the README is one of these', () => {
  expect(blocks.filter(({ language }) => language === 'ts')).toHaveLength(Object.keys(programs).length)
})
