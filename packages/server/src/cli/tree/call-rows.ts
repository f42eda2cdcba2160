import type { Json } from '@clewline/core'
import type { Call } from '@clewline/core/view'
import { argsOf, short } from './args.ts'
import { duration, tokens } from './figures.ts'
import type { Style } from './style.ts'
import { fit, oneLine, width, wrap } from './text.ts'

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

export interface Moment {
  /** Seconds since the epoch. */
  readonly now: number
  /** Counts up while it is drawn; turns the spinners. */
  readonly frame: number
  readonly style: Style
}

function icon(call: Call, { frame, style }: Moment): string {
  switch (call.status) {
    case 'running':
      return style.cyan(SPINNER[frame % SPINNER.length] ?? '·')
    case 'waiting':
      return style.yellow('?')
    case 'ok':
      return style.green('✓')
    case 'error':
      return style.red('✗')
    case 'cancelled':
      return style.dim('⊘')
    case 'pending_frontend':
      return style.yellow('→')
  }
}

/** The line of a call: what it is, how it goes, what it took. `isBare` leaves out what it was asked for. */
export function headline(call: Call, columns: number, moment: Moment, isBare = false): string {
  const { style, now } = moment
  const facts = [
    call.attempt > 1 ? `attempt ${call.attempt}` : '',
    call.kind === 'llm' ? tokens(call.usage) : call.kind === 'tool' ? '' : tokens(call.total),
    duration((call.ended_at ?? Math.max(now, call.started_at)) - call.started_at),
  ].filter((fact) => fact !== '')
  const tail = facts.join(' · ')
  const room = Math.max(columns - tail.length - 4, 8)
  // A sub-agent is known by its own name; the tool that calls it is always the same.
  const name = fit(oneLine(call.kind === 'subagent' ? call.agent : call.name), room)
  const about = isBare ? '' : fit(oneLine(aboutOf(call)), room - width(name) - 1)
  const isModel = call.kind === 'llm'
  return [
    icon(call, moment),
    isModel ? style.dim(name) : style.bold(name),
    ...(about === '' ? [] : [style.dim(about)]),
    style.dim(tail),
  ].join(' ')
}

function aboutOf(call: Call): string {
  if (call.kind === 'subagent') return textIn(call.input, ['description', 'task', 'input']) ?? ''
  return call.kind === 'tool' ? argsOf(call.input) : ''
}

function textIn(input: Json, keys: readonly string[]): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  for (const key of keys) {
    const value: unknown = Reflect.get(input, key)
    if (typeof value === 'string') return value
  }
  return undefined
}

/** The lines under a call: the end of what it says while it speaks, a word on how it went when it is over. */
export function body(call: Call, columns: number, { style }: Moment): readonly string[] {
  if (call.error !== undefined) return [style.red(fit(oneLine(call.error.message), columns))]
  const isOpen = call.status === 'running' || call.status === 'waiting'
  if (!isOpen) return ended(call, columns, style)
  if (call.progress !== undefined)
    return [bar(call.progress.done, call.progress.total, style), ...tail(call.text, columns, 1)]
  if (call.text !== '') return tail(call.text, columns, call.kind === 'llm' ? 4 : 2)
  const asked = call.tool_calls.at(-1)
  if (asked !== undefined)
    return [style.dim(fit(`${oneLine(asked.name)} ${oneLine(asked.args.slice(-200))}`, columns))]
  return tail(call.reasoning, columns, 2).map((line) => style.dim(line))
}

function ended(call: Call, columns: number, style: Style): readonly string[] {
  if (call.kind === 'llm') {
    const said = oneLine(call.text.slice(0, 2000))
    return said === '' ? [] : [fit(said, columns)]
  }
  if (call.kind !== 'tool' || call.status === 'cancelled') return []
  const result = oneLine(short(call.result ?? null))
  return result === '' ? [] : [style.dim(fit(result, columns))]
}

function tail(text: string, columns: number, lines: number): readonly string[] {
  const shown = text.slice(-columns * (lines + 2)).trimEnd()
  return shown === ''
    ? []
    : wrap(shown, columns)
        .filter((line) => line !== '')
        .slice(-lines)
}

function bar(done: number, total: number | undefined, style: Style): string {
  if (total === undefined || total <= 0) return style.dim(`${done} done`)
  const filled = Math.round(Math.min(1, Math.max(0, done / total)) * 20)
  return `${style.cyan('━'.repeat(filled))}${style.dim('─'.repeat(20 - filled))} ${done}/${total}`
}
