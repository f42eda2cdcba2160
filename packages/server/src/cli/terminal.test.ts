import { expect, test, vi } from 'vitest'
import { cli } from './cli.ts'
import { config } from './testing/shell.ts'
import { terminal } from './testing/terminal.ts'

vi.setConfig({ testTimeout: 60_000 })

const run = (...args: string[]): string[] => [
  'run',
  'echo',
  ...args,
  '--config',
  config,
  '--store',
  ':memory:',
]
/** What stays on the screen: the drawings that were taken away again left out. */
const left = (shown: string): string => shown.split('\u001b[J\u001b[?25h').at(-1) ?? ''

test('on a terminal a run is a living tree, and at its end the tree and the answer stay', async () => {
  const { io, shown } = terminal()
  expect(await cli(run('Hello there'), io)).toBe(0)
  expect(left(shown())).toMatch(
    /^✓ echo 2→2 · \d\.\ds\n└─ ✓ echo-1 2→2 · \d\.\ds\n2 calls · 2 tokens in · 2 out · \d\.\ds\n\nYou said: Hello there\nthread /m,
  )
})

test('a question is put to the person, and the answer goes on', async () => {
  const { io, shown, until, type } = terminal()
  const code = cli(run('ask'), io)
  await until('Your answer: ')
  expect(shown()).toContain('Really?')
  type('yes')
  expect(await code).toBe(0)
  expect(left(shown())).toContain('You said: "yes"')
})

test('a question without an answer stays open', async () => {
  const { io, shown, until, leave } = terminal()
  const code = cli(run('ask'), io)
  await until('Your answer: ')
  leave()
  expect(await code).toBe(3)
  expect(left(shown())).toContain('? Really?')
})

test('Ctrl-C cancels, and the cursor is back', async () => {
  const { io, shown, until, stop } = terminal()
  const code = cli(run('wait'), io)
  await until('⠙ echo')
  expect(shown()).toContain('\u001b[?25l')
  stop()
  expect(await code).toBe(130)
  expect(shown().lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown().lastIndexOf('\u001b[?25l'))
  expect(left(shown())).toContain('⊘ echo')
})
