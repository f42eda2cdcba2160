import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { cli } from './cli.ts'

/** The command line in this process, for what needs no other. */
async function run(argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const signal = new AbortController().signal
  const code = await cli(argv, { stdin: Readable.from(['']), stdout, stderr, env: {}, cwd: '/', signal })
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

describe('clewline', () => {
  test('lists its commands, and each explains itself', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    const names = [...out.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name!)
    expect(names).toEqual([
      'start',
      'run',
      'watch',
      'replay',
      'export',
      'adapt',
      'verify',
      'vacuum',
      'worker',
    ])
    for (const name of names) {
      const help = await run([name, '--help'])
      expect(help.code).toBe(0)
      expect(help.out).toContain(`clewline ${name}`)
      expect(help.out).toContain('Examples:')
    }
  })

  test.each<[string[], string]>([
    [['nope'], 'There is no command "nope".'],
    [['strat'], 'There is no command "strat".\n  Did you mean start? Commands: '],
    [['verify'], 'FILE is missing.'],
    [['verify', 'a', 'b'], '"b" is one argument too many.'],
    [['verify', 'a', '--wrong'], "Unknown option '--wrong'."],
    [['watch', 't', '--onec'], "Unknown option '--onec'.\n  Did you mean --once? See "],
    [['watch', 't', '--after', '-3'], "Option '--after' argument is ambiguous."],
    [['verify', 'no-such-file.jsonl'], 'Cannot read no-such-file.jsonl: there is no such file.'],
    [['replay', '-', '--speed', 'fast'], '--speed fast is not a number.'],
    [['replay', '-', '--to', 'xml'], '--to xml is not known.'],
    [['run', 'echo'], 'One of MESSAGE, --input and --resume must say what to do.'],
    [['export', 't', '--store', '/no/such/store'], 'There is no store in /no/such/store.'],
    [['vacuum', '--store', '/no/such/store'], 'There is no store in /no/such/store.'],
    [['vacuum', '--store', 'postgres://x/y'], '"postgres" is not a SQLite store in a directory.'],
    [['run', 'echo', 'x', '--config', 'nowhere.ts'], 'There is no config at'],
  ])('%j is wrong usage: a sentence, a hint and exit code 2', async (args, message) => {
    const { code, out, err } = await run(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`clewline: ${message}`)
    expect(err.trim().split('\n').length).toBe(2)
  })
})
