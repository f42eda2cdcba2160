import type { Entry } from '@clewline/core'
import { createFold, isFolded, type Call, type Fold } from '@clewline/core/view'
import { answerOf } from './answer.ts'
import { createAskedLines } from './asked-lines.ts'
import { write, type Io } from './io.ts'
import type { Show, ShowOptions } from './show.ts'
import { body, headline, type Moment } from './tree/call-rows.ts'
import { totals } from './tree/figures.ts'
import { questionOf } from './tree/question.ts'
import { createStyle } from './tree/style.ts'
import { clean, oneLine } from './tree/text.ts'

const COLUMNS = 120

/** A line for each thing that happens, and the answer on standard output. For pipes, files and CI. */
export function plainShow({ isQuiet, activity, hasInputs = false }: ShowOptions, io: Io): Show {
  const fold = createFold()
  const asked = hasInputs ? createAskedLines() : () => []
  let last = 0
  const stream = activity === 'stdout' ? io.stdout : io.stderr
  return {
    async push(entry) {
      fold.apply(entry)
      last = entry.envelope.ts
      if (isQuiet) return
      for (const line of happened(entry, fold, asked)) await write(stream, `${line}\n`)
    },
    async end() {
      const view = fold.snapshot()
      if (!isQuiet) await write(stream, `${totals(view, last)}\n`)
      const answer = answerOf(view)
      if (answer !== '') await write(io.stdout, `${clean(answer)}\n`)
    },
    view: () => fold.snapshot(),
  }
}

/** The lines of one envelope; none for tokens and the like. */
function happened(
  { envelope }: Entry,
  fold: Fold,
  asked: ReturnType<typeof createAskedLines>,
): readonly string[] {
  const call = fold.call(envelope.call_id)
  // Tokens are the many, and say nothing here.
  if (call === undefined || envelope.type === 'llm_token') return []
  if (call.kind === 'node' && !isTold(envelope, call, fold)) return []
  const moment: Moment = { now: envelope.ts, frame: 0, style: createStyle(false) }
  const indent = '  '.repeat(depthOf(call, fold))
  switch (envelope.type) {
    case 'tool_start':
      return [`${indent}> ${headline(call, COLUMNS - indent.length, moment).slice(2)}`.replace(/ 0\.0s$/, '')]
    case 'tool_end':
    case 'llm_end':
    case 'error':
      return [
        indent + headline(call, COLUMNS - indent.length, moment, true),
        ...body(call, COLUMNS - indent.length - 4, moment).map((line) => `${indent}    ${line}`),
      ]
    case 'subgraph_checkpoint':
      return (envelope.payload.interrupts ?? []).map(
        ({ value }) => `${indent}? ${oneLine(questionOf(value))}`,
      )
    case 'subgraph_resume':
      return [`${indent}> ${oneLine(call.name)} goes on`]
    case 'warning':
      return [`${indent}! ${oneLine(envelope.payload.message)}`]
    case 'llm_start':
      return asked(envelope).map((line) => indent + line)
    case 'tool_update':
      return []
  }
}

/** A line of a node is its end, when it did something by itself; what it waits for or warns of is always told. */
function isTold({ type }: Entry['envelope'], call: Call, fold: Fold): boolean {
  if (type === 'tool_start') return false
  const isEnd = type === 'tool_end' || type === 'error'
  return !isEnd || (call.children.length === 0 && !isFolded({ get: (id) => fold.call(id) }, call))
}

/** Nodes do not indent what is inside them. */
function depthOf({ parent_id }: Call, fold: Fold): number {
  let depth = 0
  for (let at = parent_id; at !== null;) {
    const around = fold.call(at)
    if (around?.kind !== 'node') depth += 1
    at = around?.parent_id ?? null
  }
  return depth
}
