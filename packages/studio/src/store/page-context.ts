import { EMPTY_VIEW, createTimeline, type Call, type Timeline, type View } from '@clewline/core/view'
import { createContext, useContext } from 'react'
import type { Price } from '@clewline/client'
import type { ThreadActions } from './thread-session.ts'

/** What the parts of a thread's page share and that seldom changes. */
export interface Page {
  /** Absent for a recording: nothing can be sent. */
  readonly actions?: ThreadActions
  /** Which agent a new run on this thread is for. */
  readonly agent: string
  readonly selected: string | null
  readonly select: (call: string | null) => void
  /** Starts again, in a new thread, from before a message: `root` is the call that it began. */
  readonly rerun?: (root: Call, text: string) => Promise<void>
  readonly prices: Readonly<Record<string, Price>>
  /** Shows the raw envelopes under items. */
  readonly isDebug: boolean
}

export const PageContext = createContext<Page>({
  agent: '',
  selected: null,
  select: () => undefined,
  prices: {},
  isDebug: false,
})

/** What is on the screen now: changes each frame while a run streams. */
export const ViewContext = createContext<{ readonly view: View; readonly timeline: Timeline }>({
  view: EMPTY_VIEW,
  timeline: createTimeline(),
})

/** The selection and the actions of the page, inside a `ThreadProvider`. */
export function usePage(): Page {
  return useContext(PageContext)
}

/** The view that is on the screen, inside a `ThreadProvider`. */
export function useView(): View {
  return useContext(ViewContext).view
}
