import type { Call } from '@skein/core/view'
import type { ReactNode } from 'react'
import { formatDuration } from '../design/format.ts'
import { useNow } from '../design/use-now.ts'
import { ViewContext } from '../store/page-context.ts'
import { useContext } from 'react'
import { lastMoment } from './last-moment.ts'

/** How long a call took, or has taken so far: by the clock when live, by the log when replayed. */
export function CallTime({ call }: { readonly call: Call }): ReactNode {
  if (call.ended_at !== null) return <Time seconds={call.ended_at - call.started_at} />
  return <RunningTime call={call} />
}

function RunningTime({ call }: { readonly call: Call }): ReactNode {
  const { view, timeline } = useContext(ViewContext)
  const now = useNow(call.status === 'running' ? 500 : null)
  const isReplay = view.count < timeline.length
  const shown = lastMoment(view, timeline)
  // A run that is followed live goes by the clock; a recording, or one that stopped long ago, by its own time.
  const isFresh = !isReplay && now / 1000 - shown < 60 && call.status === 'running'
  return <Time seconds={Math.max(0, (isFresh ? now / 1000 : shown) - call.started_at)} />
}

function Time({ seconds }: { readonly seconds: number }): ReactNode {
  return <span className="sk-time sk-num">{formatDuration(seconds)}</span>
}
