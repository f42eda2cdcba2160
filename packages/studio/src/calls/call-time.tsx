import type { Call } from '@clewline/core/view'
import { useContext, type ReactNode } from 'react'
import { formatDuration } from '../design/format.ts'
import { useNow } from '../design/use-now.ts'
import { ClockContext } from './call-clock.ts'

/** How long a call took, or has taken so far. */
export function CallTime({ call }: { readonly call: Call }): ReactNode {
  if (call.ended_at !== null) return <Time seconds={call.ended_at - call.started_at} />
  return <RunningTime call={call} />
}

function RunningTime({ call }: { readonly call: Call }): ReactNode {
  const clock = useContext(ClockContext)
  const now = useNow(clock === 'wall' && call.status === 'running' ? 500 : null)
  const until = clock === 'wall' ? now / 1000 : clock
  return <Time seconds={Math.max(0, until - call.started_at)} />
}

function Time({ seconds }: { readonly seconds: number }): ReactNode {
  return <span className="cw-time cw-num">{formatDuration(seconds)}</span>
}
