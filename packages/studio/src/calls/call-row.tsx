import { ChevronRight } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { ReplayMark } from '../conversation/replay-mark.tsx'
import { Badge } from '../design/badge.tsx'
import { formatShort } from '../design/format.ts'
import { useHue } from '../design/hue.ts'
import { StatusDot } from '../design/status-dot.tsx'
import { callAbout } from './call-about.ts'
import { CallIcon } from './call-icon.tsx'
import { CallTime } from './call-time.tsx'
import { callTitle } from './call-title.ts'
import type { TreeRow } from './tree-rows.ts'

export interface CallRowProps {
  readonly row: TreeRow
  readonly top: number
  readonly isSelected: boolean
  readonly onSelect: (call: string) => void
  readonly onToggle: (call: string, isOpen: boolean) => void
}

export const CallRow = memo(
  function CallRow({ row, top, isSelected, onSelect, onToggle }: CallRowProps): ReactNode {
    const { call, depth, hasChildren, isOpen } = row
    const hueOf = useHue()
    return (
      <div
        id={`call-${call.id}`}
        className="cw-call"
        role="treeitem"
        aria-level={depth + 1}
        aria-selected={isSelected}
        aria-expanded={hasChildren ? isOpen : undefined}
        data-kind={call.kind}
        style={{ top, paddingLeft: 8 + depth * 16, '--cw-hue': hueOf(call.agent) }}
        onClick={() => onSelect(call.id)}
      >
        <span
          className="cw-call-toggle"
          aria-hidden
          onClick={(event) => {
            event.stopPropagation()
            onToggle(call.id, !isOpen)
          }}
        >
          {hasChildren && <ChevronRight size={13} data-open={isOpen || undefined} />}
        </span>
        <span className="cw-call-icon">
          <CallIcon kind={call.kind} />
        </span>
        <span className="cw-call-name">{callTitle(call)}</span>
        <span className="cw-call-about">{callAbout(call, 90)}</span>
        {call.attempt > 1 && <Badge tone="warn">try {call.attempt}</Badge>}
        <ReplayMark origin={call.origin} />
        {call.total.total_tokens !== undefined && call.total.total_tokens > 0 && (
          <span className="cw-time cw-num">{formatShort(call.total.total_tokens)} tok</span>
        )}
        <CallTime call={call} />
        <StatusDot status={call.status} />
      </div>
    )
  },
  (a, b) =>
    a.row.call === b.row.call &&
    a.row.depth === b.row.depth &&
    a.row.isOpen === b.row.isOpen &&
    a.row.hasChildren === b.row.hasChildren &&
    a.top === b.top &&
    a.isSelected === b.isSelected &&
    a.onSelect === b.onSelect &&
    a.onToggle === b.onToggle,
)
