import { Menu as MenuIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../design/badge.tsx'
import { IconButton } from '../design/icon-button.tsx'
import { statusText } from '../design/status-text.ts'
import { toneOf } from '../design/tone.ts'
import { ConnectionPill } from '../health/connection-pill.tsx'
import { UsageChip } from '../meters/usage-chip.tsx'
import { PageContext, ViewContext, type Page } from '../store/page-context.ts'
import type { ThreadState } from '../store/thread-store.ts'

export function ThreadHeader(props: {
  readonly title: string
  readonly agent: string
  readonly state: ThreadState
  readonly page: Page
  readonly onMenu: () => void
  readonly actions?: ReactNode
}): ReactNode {
  const { state } = props
  const { view, timeline, cursor, connection, intake } = state
  const run = [...view.runs.values()].at(-1)
  return (
    <header className="sk-bar-top">
      <IconButton label="Open the menu" className="sk-phone" onClick={props.onMenu}>
        <MenuIcon size={17} />
      </IconButton>
      <h1 title={props.title}>{props.title}</h1>
      {run !== undefined && <Badge tone={toneOf(run.status)}>{statusText(run.status)}</Badge>}
      {cursor !== null && <Badge tone="accent">Replaying</Badge>}
      <span className="sk-grow" />
      <PageContext value={props.page}>
        <ViewContext value={{ view, timeline }}>
          <UsageChip />
        </ViewContext>
      </PageContext>
      <ConnectionPill connection={connection} missing={intake.missing} />
      {props.actions}
    </header>
  )
}
