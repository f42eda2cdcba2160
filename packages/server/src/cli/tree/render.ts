import { type Call, childrenOf, type View } from '@clewline/core/view'
import { body, headline, type Moment } from './call-rows.ts'
import { totals } from './figures.ts'
import { questionOf } from './question.ts'
import { fit, oneLine } from './text.ts'

export interface Size extends Moment {
  readonly columns: number
  /** At most so many lines; Infinity for all there is. */
  readonly rows: number
  /** Leaves out what is inside calls that are over, even where there is room. */
  readonly isBrief?: boolean
}

/** How much is said of calls that are over. */
interface Detail {
  /** What they said, and the calls inside them. */
  readonly isFull: boolean
  /** How many of them in a row. */
  readonly keep: number
}

interface Limits extends Detail {
  /** With more lines than this there is no need to go on. */
  readonly enough: number
}

const FULL: Detail = { isFull: true, keep: Infinity }
/** From much to little; the first that fits is taken. */
const BRIEF: readonly Detail[] = [Infinity, 16, 8, 4, 1].map((keep) => ({ isFull: false, keep }))

/** A view as lines of text, for a terminal of that size. Pure: the same view, time and size give the same lines. */
export function render(view: View, size: Size): readonly string[] {
  const foot = footer(view, size)
  const room = Math.max(size.rows - foot.length, 3)
  // A call takes a line at least: with more calls than lines there is no need to try.
  const isHopeless = view.calls.size > room
  let tree: readonly string[] = []
  const details = size.isBrief === true || isHopeless ? BRIEF : [FULL, ...BRIEF]
  for (const detail of details) {
    // What does not fit is only drawn to its end when there is nothing briefer to try.
    tree = treeOf(view, size, { ...detail, enough: detail === details.at(-1) ? Infinity : room })
    if (tree.length <= room) return [...tree, ...foot]
  }
  const hidden = tree.length - room + 1
  return [size.style.dim(`… ${hidden} more lines`), ...tree.slice(hidden), ...foot].slice(-size.rows)
}

function treeOf(view: View, size: Size, limits: Limits): readonly string[] {
  const lines: string[] = []
  for (const [index, id] of view.roots.entries()) {
    const root = view.calls.get(id)
    if (root === undefined || lines.length > limits.enough) continue
    const isLast = index === view.roots.length - 1
    lines.push(headline(root, size.columns, size))
    if (isLast || limits.isFull) push(view, root, '', size, limits, lines)
    if (root.error !== undefined) lines.push(...body(root, size.columns - 2, size).map((line) => `  ${line}`))
  }
  return lines
}

function push(view: View, parent: Call, indent: string, size: Size, limits: Limits, lines: string[]): void {
  const { style } = size
  const children = childrenOf(view.calls, parent)
  const over = children.filter((call) => !isOpen(call))
  const dropped = new Set(over.slice(0, Math.max(over.length - limits.keep, 0)))
  const shown = children.filter((call) => !dropped.has(call))
  if (dropped.size > 0) lines.push(style.dim(`${indent}├─ … ${dropped.size} before`))
  for (const [index, call] of shown.entries()) {
    if (lines.length > limits.enough) return
    const isLast = index === shown.length - 1
    const below = indent + (isLast ? '   ' : '│  ')
    const columns = size.columns - below.length
    lines.push(style.dim(indent + (isLast ? '└─ ' : '├─ ')) + headline(call, columns, size))
    if (limits.isFull || isOpen(call) || call.error !== undefined)
      lines.push(...body(call, columns - 2, size).map((line) => `${style.dim(below)}  ${line}`))
    if (limits.isFull || isOpen(call)) push(view, call, below, size, limits, lines)
  }
}

const isOpen = (call: Call): boolean => call.status === 'running' || call.status === 'waiting'

/** What belongs to the whole run: plan, files, warnings, questions, totals. */
function footer(view: View, size: Size): readonly string[] {
  const { style, columns } = size
  const lines: string[] = []
  const todo = { completed: style.green('☑'), in_progress: style.cyan('◐'), pending: style.dim('☐') }
  for (const { content, status } of chosenTodos(view))
    lines.push(`${todo[status]} ${fit(oneLine(content), columns - 2)}`)
  const files = [...view.files.values()].filter(({ content }) => content !== null).map(({ name }) => name)
  if (files.length > 0) lines.push(fit(`files: ${files.map(oneLine).join(', ')}`, columns))
  for (const { message } of view.warnings.slice(-2))
    lines.push(style.yellow(fit(`! ${oneLine(message)}`, columns)))
  for (const { value } of view.interrupts)
    lines.push(style.yellow(fit(`? ${oneLine(questionOf(value))}`, columns)))
  lines.push(style.dim(fit(totals(view, size.now), columns)))
  return lines
}

/** At most six, those under way and next before those done. */
function chosenTodos(view: View): View['todos'] {
  if (view.todos.length <= 6) return view.todos
  const from = view.todos.findIndex(({ status }) => status !== 'completed')
  const start = Math.min(Math.max(from - 1, 0), view.todos.length - 6)
  return view.todos.slice(start, start + 6)
}
