import type { Call } from '@skein/core/view'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Columns2 } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { PageHeader } from '../app/page-header.tsx'
import { api } from '../app/services.ts'
import { CallIcon } from '../calls/call-icon.tsx'
import { callTitle } from '../calls/call-title.ts'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import { formatCount, formatDuration, formatShort } from '../design/format.ts'
import { StatusDot } from '../design/status-dot.tsx'
import { diffLines } from '../files/diff-lines.ts'
import type { Route } from '../routes/route.ts'
import { goTo } from '../routes/use-route.ts'
import { threadSession } from '../store/thread-session.ts'
import { createThreadStore, type ThreadStore } from '../store/thread-store.ts'
import type { Directory } from '../threads/directory.ts'
import { threadTitle } from '../threads/thread-title.ts'
import { chooseFile } from './choose-file.ts'
import { compareRuns, summariseRun, type ComparedCall, type RunSummary } from './compare-runs.ts'
import { readRecording } from './read-recording.ts'

type Side = 'left' | 'right'

/** Two threads, or recordings, side by side: figures, calls aligned, and what differs in the answers. */
export default function ComparePage(props: {
  readonly directory: Directory
  readonly route: Extract<Route, { to: 'compare' }>
  readonly recording: ThreadStore | null
  readonly onMenu: () => void
}): ReactNode {
  const { route, directory } = props
  const left = useSide(route.left)
  const right = useSide(route.right)
  const leftView = useStore(left.store, ({ view }) => view)
  const rightView = useStore(right.store, ({ view }) => view)
  const rows = useMemo(() => compareRuns(leftView, rightView), [leftView, rightView])
  const isReady = leftView.count > 0 && rightView.count > 0
  return (
    <>
      <PageHeader title="Compare runs" onMenu={props.onMenu} />
      <div className="sk-compare">
        <div className="sk-compare-heads">
          <Picker side="left" directory={directory} route={route} file={left.file} onFile={left.open} />
          <Picker side="right" directory={directory} route={route} file={right.file} onFile={right.open} />
        </div>
        {isReady ? (
          <>
            <Figures left={summariseRun(leftView)} right={summariseRun(rightView)} />
            <Rows rows={rows} />
            <Answers left={summariseRun(leftView).answer} right={summariseRun(rightView).answer} />
          </>
        ) : (
          <EmptyState icon={Columns2} title="Choose two runs">
            Pick a thread on each side, or open a recording. Calls that both made stand on one line; what only
            one did stands alone.
          </EmptyState>
        )}
      </div>
    </>
  )
}

interface Chosen {
  readonly store: ThreadStore
  readonly file: string
  readonly open: (file: File) => void
}

/** A thread of the server, or a file that was opened in its place. */
function useSide(thread: string | undefined): Chosen {
  const [opened, setOpened] = useState<{
    readonly store: ThreadStore
    readonly name: string
    readonly for: string | undefined
  } | null>(null)
  const session = useMemo(() => (thread === undefined ? null : threadSession(api, thread, 'user')), [thread])
  useEffect(() => session?.start(), [session])
  const empty = useMemo(() => createThreadStore(), [])
  const file = opened !== null && opened.for === thread ? opened : null
  return {
    store: file?.store ?? session?.store ?? empty,
    file: file?.name ?? '',
    open(chosen) {
      const store = createThreadStore()
      setOpened({ store, name: chosen.name, for: thread })
      void readRecording(chosen, store)
    },
  }
}

function Picker(props: {
  readonly side: Side
  readonly directory: Directory
  readonly route: Extract<Route, { to: 'compare' }>
  readonly file: string
  readonly onFile: (file: File) => void
}): ReactNode {
  const threads = useStore(props.directory, (state) => state.threads)
  const { side, route } = props
  return (
    <div className="sk-picker">
      <select
        className="sk-select sk-focusable"
        aria-label={side === 'left' ? 'Left run' : 'Right run'}
        value={props.file === '' ? (route[side] ?? '') : ''}
        onChange={(event) => goTo({ ...route, [side]: event.target.value }, 'replace')}
      >
        <option value="">{props.file === '' ? 'Choose a thread' : props.file}</option>
        {threads.map((thread) => (
          <option key={thread.thread_id} value={thread.thread_id}>
            {threadTitle(thread)}
          </option>
        ))}
      </select>
      <Button size="small" onClick={() => chooseFile(props.onFile)}>
        Open a recording
      </Button>
    </div>
  )
}

function Figures({ left, right }: { readonly left: RunSummary; readonly right: RunSummary }): ReactNode {
  const rows: readonly (readonly [string, number, number, (value: number) => string])[] = [
    ['Time', left.seconds, right.seconds, formatDuration],
    ['Tokens', left.usage.total_tokens ?? 0, right.usage.total_tokens ?? 0, formatCount],
    ['Calls', left.calls, right.calls, formatCount],
    ['Sub-agents', left.agents, right.agents, formatCount],
    ['Errors', left.errors, right.errors, formatCount],
  ]
  return (
    <table className="sk-figures">
      <thead>
        <tr>
          <th scope="col">
            <span className="sk-hidden">Figure</span>
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
            <td className="sk-num">{format(a)}</td>
            <td className="sk-num">{format(b)}</td>
            <td className="sk-num sk-dim">
              {a === 0 || a === b ? '' : `${b > a ? '+' : '−'}${Math.abs(Math.round((b / a - 1) * 100))} %`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Rows({ rows }: { readonly rows: readonly ComparedCall[] }): ReactNode {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 10,
  })
  return (
    <div
      className="sk-compare-rows sk-focusable"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Calls side by side"
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <div key={index} className="sk-compare-row" style={{ top: start }}>
              <Cell call={row.left} depth={row.depth} kind="removed" isAlone={row.right === null} />
              <Cell call={row.right} depth={row.depth} kind="added" isAlone={row.left === null} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Cell(props: {
  readonly call: Call | null
  readonly depth: number
  readonly kind: string
  readonly isAlone: boolean
}): ReactNode {
  const { call } = props
  if (call === null) return <div className="sk-compare-cell" data-kind="absent" />
  return (
    <div
      className="sk-compare-cell"
      data-kind={props.isAlone ? props.kind : undefined}
      style={{ paddingLeft: 12 + props.depth * 16 }}
    >
      <CallIcon kind={call.kind} />
      <span>{callTitle(call)}</span>
      <span className="sk-grow" />
      {(call.total.total_tokens ?? 0) > 0 && (
        <span className="sk-time sk-num">{formatShort(call.total.total_tokens ?? 0)} tok</span>
      )}
      <span className="sk-time sk-num">
        {call.ended_at === null ? '' : formatDuration(call.ended_at - call.started_at)}
      </span>
      <StatusDot status={call.status} />
    </div>
  )
}

function Answers({ left, right }: { readonly left: string; readonly right: string }): ReactNode {
  const lines = useMemo(() => diffLines(left, right), [left, right])
  return (
    <section className="sk-compare-answers" aria-label="Answers">
      <h2>Answers</h2>
      {lines.length === 0 ? (
        <p className="sk-hint">Both gave the same answer.</p>
      ) : (
        <div className="sk-diff-lines">
          {lines.map((line, index) => (
            <div key={index} data-kind={line.kind}>
              <span className="sk-num">{line.before ?? ''}</span>
              <span className="sk-num">{line.after ?? ''}</span>
              <span>{line.text}</span>
            </div>
          ))}
        </div>
      )}
    </section>
  )
}
