import type { ReactNode } from 'react'
import { StatusDot } from '../design/status-dot.tsx'
import { useNow } from '../design/use-now.ts'
import type { Connection } from '../connection/connection.ts'

/** How the connection to the server stands. Quiet while it is live. */
export function ConnectionPill({
  connection,
  missing,
}: {
  readonly connection: Connection
  readonly missing: number
}): ReactNode {
  const now = useNow(connection.type === 'retrying' ? 500 : null)
  return (
    <span className="cw-pill" role="status" data-connection={connection.type}>
      <StatusDot status={connection.type === 'file' ? 'idle' : connection.type} />
      <span>{text(connection, now)}</span>
      {missing > 0 && <b title="Envelopes that are missing, by seq">{missing} missing</b>}
    </span>
  )
}

function text(connection: Connection, now: number): string {
  switch (connection.type) {
    case 'live':
      return 'Connected'
    case 'connecting':
      return 'Connecting'
    case 'retrying': {
      const seconds = Math.ceil((connection.retryAt - now) / 1000)
      return seconds > 0 ? `Reconnecting in ${seconds} s` : 'Reconnecting'
    }
    case 'refused':
      return connection.why
    case 'file':
      return 'Recording'
  }
}
