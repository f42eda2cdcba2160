import type { ReactNode } from 'react'
import { Badge } from '../design/badge.tsx'

/** Says that something was re-emitted from the log and did not happen now. */
export function ReplayMark({ origin }: { readonly origin: 'live' | 'replay' }): ReactNode {
  if (origin === 'live') return null
  return <Badge title="Re-emitted from the log, not run again">replay</Badge>
}
