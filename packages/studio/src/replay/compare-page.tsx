import { Columns2 } from 'lucide-react'
import { useEffect, useMemo, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { PageHeader } from '../design/page-header.tsx'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import type { Route } from '../routes/route.ts'
import { goTo } from '../routes/use-route.ts'
import type { Directory } from '../threads/directory.ts'
import { newestFirst } from '../threads/newest-first.ts'
import { threadTitle } from '../threads/thread-title.ts'
import { chooseFile } from './choose-file.ts'
import { CompareRows } from './compare-rows.tsx'
import { compareRuns, summariseRun } from './compare-runs.ts'
import { CompareAnswers, CompareFigures } from './compare-summary.tsx'
import { useComparedSide } from './use-compared-side.ts'

type Side = 'left' | 'right'

/** Two threads, or recordings, side by side: figures, calls aligned, and what differs in the answers. */
export default function ComparePage(props: {
  readonly directory: Directory
  readonly route: Extract<Route, { to: 'compare' }>
  readonly onMenu: () => void
}): ReactNode {
  const { route, directory } = props
  const left = useComparedSide(route.left)
  const right = useComparedSide(route.right)
  const leftView = useStore(left.store, ({ view }) => view)
  const rightView = useStore(right.store, ({ view }) => view)
  const rows = useMemo(() => compareRuns(leftView, rightView), [leftView, rightView])
  const isReady = leftView.count > 0 && rightView.count > 0
  return (
    <>
      <PageHeader title="Compare runs" onMenu={props.onMenu} />
      <div className="cw-compare">
        <div className="cw-compare-heads">
          <Picker side="left" directory={directory} route={route} file={left.file} onFile={left.open} />
          <Picker side="right" directory={directory} route={route} file={right.file} onFile={right.open} />
        </div>
        {isReady ? (
          <>
            <CompareFigures left={summariseRun(leftView)} right={summariseRun(rightView)} />
            <CompareRows rows={rows} />
            <CompareAnswers left={summariseRun(leftView).answer} right={summariseRun(rightView).answer} />
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

function Picker(props: {
  readonly side: Side
  readonly directory: Directory
  readonly route: Extract<Route, { to: 'compare' }>
  readonly file: string
  readonly onFile: (file: File) => void
}): ReactNode {
  const known = useStore(props.directory, (state) => state.known)
  const { side, route, directory } = props
  const chosen = route[side]
  useEffect(() => {
    if (chosen !== undefined) void directory.learn(chosen)
  }, [directory, chosen])
  return (
    <div className="cw-picker">
      <select
        className="cw-select cw-focusable"
        aria-label={side === 'left' ? 'Left run' : 'Right run'}
        value={props.file === '' ? (chosen ?? '') : ''}
        onChange={(event) => goTo({ ...route, [side]: event.target.value }, 'replace')}
      >
        <option value="">{props.file === '' ? 'Choose a thread' : props.file}</option>
        {newestFirst(known.values()).map((thread) => (
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
