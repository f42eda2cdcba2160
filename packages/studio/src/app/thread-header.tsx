import { Menu as MenuIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../design/badge.tsx'
import { IconButton } from '../design/icon-button.tsx'
import { statusText } from '../design/status-text.ts'
import { toneOf } from '../design/tone.ts'
import { ConnectionPill } from '../health/connection-pill.tsx'
import { UsageChip } from '../meters/usage-chip.tsx'
import type { ThreadState } from '../store/thread-store.ts'

/** Above a thread, inside its page. */
export function ThreadHeader(props: {
  readonly title: string
  readonly state: ThreadState
  readonly onMenu: () => void
  readonly actions?: ReactNode
}): ReactNode {
  const { state } = props
  const { view, cursor, connection, intake } = state
  // A file that was edited by hand is a run too, and ends no question.
  const status = view.interrupts.length > 0 ? 'waiting' : [...view.runs.values()].at(-1)?.status
  return (
    <header className="cw-bar-top">
      <IconButton label="Open the menu" className="cw-phone" onClick={props.onMenu}>
        <MenuIcon size={17} />
      </IconButton>
      <h1 title={props.title}>{props.title}</h1>
      {status !== undefined && <Badge tone={toneOf(status)}>{statusText(status)}</Badge>}
      {cursor !== null && <Badge tone="accent">Replaying</Badge>}
      <span className="cw-grow" />
      <UsageChip />
      <ConnectionPill connection={connection} missing={intake.missing} />
      {props.actions}
    </header>
  )
}
