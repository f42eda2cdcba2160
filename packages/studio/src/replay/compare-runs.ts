import type { Usage } from '@clewline/core'
import { type Call, callsBelow, childrenOf, type View } from '@clewline/core/view'
import { diffArrays } from 'diff'
import { callTitle } from '../calls/call-title.ts'

/** A line of two runs side by side; null where one of them has no such call. */
export interface ComparedCall {
  readonly left: Call | null
  readonly right: Call | null
  readonly depth: number
}

export interface RunSummary {
  readonly calls: number
  readonly errors: number
  readonly seconds: number
  readonly usage: Usage
  readonly agents: number
  readonly answer: string
}

interface Line {
  readonly call: Call
  readonly depth: number
  readonly sign: string
}

/** The calls of two threads in order, aligned where they did the same. */
export function compareRuns(left: View, right: View): readonly ComparedCall[] {
  const a = linesOf(left)
  const b = linesOf(right)
  const rows: ComparedCall[] = []
  let at = 0
  let to = 0
  for (const part of diffArrays(
    a.map(({ sign }) => sign),
    b.map(({ sign }) => sign),
  )) {
    for (let count = part.count; count > 0; count--) {
      const one = part.added ? undefined : a[at++]
      const other = part.removed ? undefined : b[to++]
      rows.push({
        left: one?.call ?? null,
        right: other?.call ?? null,
        depth: one?.depth ?? other?.depth ?? 0,
      })
    }
  }
  return rows
}

export function summariseRun(view: View): RunSummary {
  let errors = 0
  let agents = 0
  let answer = ''
  let seconds = 0
  for (const call of view.calls.values()) {
    if (call.status === 'error') errors += 1
    if (call.kind === 'subagent') agents += 1
  }
  for (const id of view.roots) {
    const root = view.calls.get(id)
    const said = root === undefined ? [] : callsBelow(view.calls, root)
    answer = said.findLast(({ kind, text }) => kind === 'llm' && text !== '')?.text ?? answer
  }
  for (const run of view.runs.values())
    seconds += Math.max(0, (run.ended_at ?? run.started_at) - run.started_at)
  return { calls: view.calls.size, errors, seconds, usage: view.usage, agents, answer }
}

function linesOf(view: View): readonly Line[] {
  const lines: Line[] = []
  const visit = (id: string, depth: number): void => {
    const call = view.calls.get(id)
    if (call === undefined) return
    lines.push({ call, depth, sign: `${depth} ${call.kind} ${callTitle(call)}` })
    for (const child of childrenOf(view.calls, call)) visit(child.id, depth + 1)
  }
  for (const root of view.roots) visit(root, 0)
  return lines
}
