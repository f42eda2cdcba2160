import type { Timeline, View } from '@clewline/core/view'
import { useMemo, type ReactNode } from 'react'
import { ClockContext, clockOf } from '../calls/call-clock.ts'
import { createHues, HueContext } from '../design/hue.ts'
import { PageContext, ViewContext, type Page } from './page-context.ts'

/** What the parts of a thread's page know: the page, the view on the screen, the time there, and agents' colours. */
export function ThreadContexts(props: {
  readonly page: Page
  readonly view: View
  readonly timeline: Timeline
  readonly children: ReactNode
}): ReactNode {
  const { page, view, timeline } = props
  const shown = useMemo(() => ({ view, timeline }), [view, timeline])
  const hues = useMemo(() => createHues(timeline), [timeline])
  return (
    <PageContext value={page}>
      <HueContext value={hues}>
        <ViewContext value={shown}>
          <ClockContext value={clockOf(view, timeline)}>{props.children}</ClockContext>
        </ViewContext>
      </HueContext>
    </PageContext>
  )
}
