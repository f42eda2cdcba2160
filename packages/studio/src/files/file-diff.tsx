import type { File, FileChange } from '@clewline/core/view'
import { useContext, useMemo, useState, type ReactNode } from 'react'
import { formatClock } from '../design/format.ts'
import { ViewContext } from '../store/page-context.ts'
import { diffLines } from './diff-lines.ts'
import { DiffView } from './diff-view.tsx'

/** The unified difference between any two moments of a file. */
export function FileDiff({ file }: { readonly file: File }): ReactNode {
  const { history } = file
  const [choice, setChoice] = useState<{ from: number; to: number } | null>(null)
  const last = history.length - 1
  const from = Math.min(choice?.from ?? last - 1, last)
  const to = Math.min(choice?.to ?? last, last)
  const before = from < 0 ? '' : (history[from]?.content ?? '')
  const after = history[to]?.content ?? ''
  const lines = useMemo(() => diffLines(before, after), [before, after])
  const start = useContext(ViewContext).timeline.entry(0)?.envelope.ts ?? 0
  const added = lines.filter(({ kind }) => kind === 'added').length
  const removed = lines.filter(({ kind }) => kind === 'removed').length
  return (
    <div className="cw-diff">
      <div className="cw-diff-bar">
        <Moment
          label="From"
          history={history}
          start={start}
          value={from}
          hasNothing
          onChange={(at) => setChoice({ from: at, to })}
        />
        <span aria-hidden>→</span>
        <Moment
          label="To"
          history={history}
          start={start}
          value={to}
          onChange={(at) => setChoice({ from, to: at })}
        />
        <span className="cw-grow" />
        <span className="cw-added cw-num">+{added}</span>
        <span className="cw-removed cw-num">−{removed}</span>
      </div>
      {added + removed === 0 ? (
        <p className="cw-hint">The same at both moments.</p>
      ) : (
        <DiffView lines={lines} />
      )}
    </div>
  )
}

function Moment(props: {
  readonly label: string
  readonly history: readonly FileChange[]
  readonly start: number
  readonly value: number
  readonly hasNothing?: boolean
  readonly onChange: (at: number) => void
}): ReactNode {
  return (
    <select
      className="cw-select cw-focusable"
      aria-label={props.label}
      value={props.value}
      onChange={(event) => props.onChange(Number(event.target.value))}
    >
      {props.hasNothing && <option value={-1}>before it existed</option>}
      {props.history.map((change, index) => (
        <option key={index} value={index}>
          {index + 1} · {change.agent} · {formatClock(change.ts - props.start)}
        </option>
      ))}
    </select>
  )
}
