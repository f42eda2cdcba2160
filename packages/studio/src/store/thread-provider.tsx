import { useMemo, useState, type ReactNode } from 'react'
import type { Price } from '@clewline/client'
import type { Page } from './page-context.ts'
import { ThreadContexts } from './thread-contexts.tsx'
import type { UsedThread } from './use-thread.ts'

/** The thread that the components inside show, and for whom they speak. */
export interface ThreadProviderProps {
  /** What `useThread` returned. */
  readonly thread: UsedThread
  /** Which agent new messages are for. */
  readonly agent: string
  /** US dollars per million tokens, by model: for the meters. */
  readonly prices?: Readonly<Record<string, Price>>
  readonly children: ReactNode
}

const NO_PRICES = {}

/** Gives a thread to the components below: conversation, tree, lanes, plan, files, meters. They share a selection. */
export function ThreadProvider({
  thread,
  agent,
  prices = NO_PRICES,
  children,
}: ThreadProviderProps): ReactNode {
  const [selected, select] = useState<string | null>(null)
  const { actions, view, timeline } = thread
  const page = useMemo<Page>(
    () => ({ actions, agent, selected, select, prices, isDebug: false }),
    [actions, agent, prices, selected],
  )
  return (
    <ThreadContexts page={page} view={view} timeline={timeline}>
      {children}
    </ThreadContexts>
  )
}
