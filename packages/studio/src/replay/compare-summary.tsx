import { useMemo, type ReactNode } from 'react'
import { formatCount, formatDuration } from '../design/format.ts'
import { diffLines } from '../files/diff-lines.ts'
import { DiffView } from '../files/diff-view.tsx'
import type { RunSummary } from './compare-runs.ts'

/** The figures of both runs and how much they changed. */
export function CompareFigures({
  left,
  right,
}: {
  readonly left: RunSummary
  readonly right: RunSummary
}): ReactNode {
  const rows: readonly (readonly [string, number, number, (value: number) => string])[] = [
    ['Time', left.seconds, right.seconds, formatDuration],
    ['Tokens', left.usage.total_tokens ?? 0, right.usage.total_tokens ?? 0, formatCount],
    ['Calls', left.calls, right.calls, formatCount],
    ['Sub-agents', left.agents, right.agents, formatCount],
    ['Errors', left.errors, right.errors, formatCount],
  ]
  return (
    <table className="cw-figures">
      <thead>
        <tr>
          <th scope="col">
            <span className="cw-hidden">Figure</span>
          </th>
          <th scope="col">Left</th>
          <th scope="col">Right</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, a, b, format]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="cw-num">{format(a)}</td>
            <td className="cw-num">{format(b)}</td>
            <td className="cw-num cw-dim">
              {a === 0 || a === b ? '' : `${b > a ? '+' : '−'}${Math.abs(Math.round((b / a - 1) * 100))} %`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** What differs in the last answers. */
export function CompareAnswers({
  left,
  right,
}: {
  readonly left: string
  readonly right: string
}): ReactNode {
  const lines = useMemo(() => diffLines(left, right), [left, right])
  return (
    <section className="cw-compare-answers" aria-label="Answers">
      <h2>Answers</h2>
      {lines.length === 0 ? (
        <p className="cw-hint">Both gave the same answer.</p>
      ) : (
        <DiffView lines={lines} />
      )}
    </section>
  )
}
