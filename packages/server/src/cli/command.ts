import { parseArgs } from 'node:util'
import { ClewlineError } from '@clewline/core'
import type { Io } from './io.ts'
import { nearest } from './nearest.ts'

/** What `clewline NAME` does and how its help reads. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** Positional arguments as usage shows them: `FILE`, `AGENT [MESSAGE]`. */
  readonly args: string
  readonly options: Readonly<Record<string, Option>>
  /** Further sentences of its help. */
  readonly details?: string
  readonly examples: readonly string[]
  /** Resolves with the exit code. */
  run(given: Given, io: Io): Promise<number>
}

interface Option {
  /** Name of its value in the help. Without it the option is a flag. */
  readonly value?: string
  readonly short?: string
  readonly about: string
}

/** What was typed. */
export interface Given {
  readonly positionals: readonly string[]
  flag(name: string): boolean
  text(name: string): string | undefined
  /** Throws a usage error for what is not a number. */
  number(name: string): number | undefined
}

/**
 * Closed: 0 done, 1 failed (a run, a check), 2 wrong usage, 3 the run waits for an answer, 4 stopped, but runs could not
 * be handed over, 130 stopped by the user.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 3, abandoned: 4, stopped: 130 } as const

export function usageError(message: string, hint: string): ClewlineError {
  return new ClewlineError('bad-request', message, { hint })
}

/** Reads the arguments of a command by its own list of options. */
export function readArgs(command: Command, argv: readonly string[]): Given {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value, short }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
      },
    ]),
  )
  const { values, positionals } = parsed(command, () =>
    parseArgs({ args: [...argv], options, allowPositionals: true, strict: true }),
  )
  const [least, most] = bounds(command.args)
  if (positionals.length < least)
    throw usageError(`${wanted(command.args, positionals.length)} is missing.`, usageOf(command))
  if (positionals.length > most)
    throw usageError(
      `"${positionals[most]}" is one argument too many.`,
      `${usageOf(command)} Quote text that has spaces.`,
    )
  const text = (name: string): string | undefined => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    positionals,
    text,
    flag: (name) => values[name] === true,
    number(name) {
      const value = text(name)
      if (value === undefined) return undefined
      const number = Number(value)
      if (value.trim() === '' || !Number.isFinite(number) || number < 0)
        throw usageError(`--${name} ${value} is not a number.`, usageOf(command))
      return number
    },
  }
}

function parsed<T>(command: Command, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/)
    const typed = /^Unknown option '--([^']+)'/.exec(sentence)?.[1]
    const meant = typed === undefined ? undefined : nearest(typed, Object.keys(command.options))
    throw usageError(
      `${sentence}.`.replace(/\.\.$/, '.'),
      `${meant === undefined ? '' : `Did you mean --${meant}? `}See clewline ${command.name} --help.`,
    )
  }
}

function bounds(args: string): readonly [number, number] {
  const words = args === '' ? [] : args.split(' ')
  return [words.filter((word) => !word.startsWith('[')).length, words.length]
}

const wanted = (args: string, index: number): string => args.split(' ')[index] ?? 'An argument'

const usageOf = (command: Command): string =>
  `Usage: clewline ${[command.name, command.args].filter((word) => word !== '').join(' ')} [options].`

/** The help of one command. */
export function helpOf(command: Command): string {
  const help: Option = { short: 'h', about: 'Show this help.' }
  const rows = Object.entries({ ...command.options, help }).map(
    ([name, { value, short, about }]): readonly [string, string] => [
      `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      about,
    ],
  )
  const lines = [
    `clewline ${[command.name, command.args].filter((word) => word !== '').join(' ')} [options]`,
    '',
    command.summary,
    ...(command.details === undefined ? [] : ['', command.details]),
    '',
    'Options:',
    ...columns(rows),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
  ]
  return `${lines.join('\n')}\n`
}

/** Two columns, the second aligned. */
export function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
