import type { Call } from '@clewline/core/view'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, type ReactNode } from 'react'
import { callAbout } from '../calls/call-about.ts'
import { CallIcon } from '../calls/call-icon.tsx'
import { callTitle } from '../calls/call-title.ts'
import { formatDuration, formatShort } from '../design/format.ts'
import { StatusDot } from '../design/status-dot.tsx'
import type { ComparedCall } from './compare-runs.ts'

/** The calls of both runs, one line each; what only one of them made stands alone. */
export function CompareRows({ rows }: { readonly rows: readonly ComparedCall[] }): ReactNode {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 10,
  })
  return (
    <div
      className="cw-compare-rows cw-focusable"
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
            <div key={index} className="cw-compare-row" style={{ top: start }}>
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
  if (call === null) return <div className="cw-compare-cell" data-kind="absent" />
  return (
    <div
      className="cw-compare-cell"
      data-kind={props.isAlone ? props.kind : undefined}
      style={{ '--cw-depth': props.depth }}
    >
      <CallIcon kind={call.kind} />
      <span>{callTitle(call)}</span>
      <span className="cw-call-about">{callAbout(call, 90)}</span>
      {(call.total.total_tokens ?? 0) > 0 && (
        <span className="cw-time cw-num">{formatShort(call.total.total_tokens ?? 0)} tok</span>
      )}
      <span className="cw-time cw-num">
        {call.ended_at === null ? '' : formatDuration(call.ended_at - call.started_at)}
      </span>
      <StatusDot status={call.status} />
    </div>
  )
}
