import { ClewlineError } from '@clewline/core'
import { VERSION } from '../version.ts'
import { columns, EXIT, helpOf, readArgs, usageError, type Command } from './command.ts'
import { write, type Io } from './io.ts'
import { nearest } from './nearest.ts'

/** Loaded when asked for, as each loads what it needs: `clewline verify` should not wait for LangGraph to be read from disk. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).start,
  run: async () => (await import('./run.ts')).run,
  watch: async () => (await import('./watch.ts')).watch,
  replay: async () => (await import('./replay.ts')).replay,
  export: async () => (await import('./export.ts')).exportThread,
  adapt: async () => (await import('./adapt.ts')).adaptFile,
  verify: async () => (await import('./verify.ts')).verifyFile,
  vacuum: async () => (await import('./vacuum.ts')).vacuum,
  worker: async () => (await import('./worker.ts')).worker,
}

/** `clewline ARGV`. Resolves with the exit code; failures are printed on standard error. */
export async function cli(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    await write(io.stderr, argv.includes('--json') ? jsonError(error) : plainError(error))
    return exitCode(error)
  }
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const [topic] = rest
    const command = name === 'help' && topic !== undefined ? await load(topic) : undefined
    await write(io.stdout, command === undefined ? await overview() : helpOf(command))
    return EXIT.done
  }
  if (name === '--version' || name === '-v') {
    await write(io.stdout, `clewline ${VERSION}\n`)
    return EXIT.done
  }
  const command = await load(name)
  if (rest.includes('--help') || rest.includes('-h')) {
    await write(io.stdout, helpOf(command))
    return EXIT.done
  }
  return command.run(readArgs(command, rest), io)
}

async function load(name: string): Promise<Command> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command !== undefined) return command()
  const meant = nearest(name, Object.keys(COMMANDS))
  throw usageError(
    `There is no command "${name}".`,
    `${meant === undefined ? '' : `Did you mean ${meant}? `}Commands: ${Object.keys(COMMANDS).join(', ')}. See clewline --help.`,
  )
}

async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()))
  return `clewline: run LangGraph agents and see everything they do.

Usage: clewline COMMAND [options]

Commands:
${columns(commands.map(({ name, args, summary }) => [`${name} ${args}`.trim(), summary])).join('\n')}

See clewline COMMAND --help. Every command that prints something knows --json.
`
}

function plainError(error: unknown): string {
  if (error instanceof ClewlineError) return `clewline: ${error.message}\n  ${error.hint}\n`
  return `clewline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
}

function jsonError(error: unknown): string {
  const { code, message, hint } =
    error instanceof ClewlineError
      ? error
      : { code: 'internal', message: String(error), hint: 'This is a bug in Clewline.' }
  return `${JSON.stringify({ error: { code, message, hint } })}\n`
}

function exitCode(error: unknown): number {
  if (!(error instanceof ClewlineError)) return EXIT.failed
  return ['bad-request', 'bad-file', 'bad-config', 'unknown-agent', 'not-found'].includes(error.code)
    ? EXIT.usage
    : EXIT.failed
}
