import { Composer, Conversation, PlanPanel, ReplayBar, ThreadProvider, useThread } from '@clewline/studio'
import type { ReactNode } from 'react'

/** A thread with its plan beside it. The hook does the streaming; the components are plain React. */
export function SupportDesk({
  thread: id,
  agent,
}: {
  readonly thread: string
  readonly agent: string
}): ReactNode {
  const thread = useThread(id, { agent })
  const isBusy = [...thread.timeline.latest().runs.values()].some(({ status }) => status === 'running')
  const asked = thread.view.interrupts.length
  return (
    <ThreadProvider thread={thread} agent={agent}>
      <main>
        <header>
          <h1>Research desk</h1>
          <p>
            {thread.view.usage.total_tokens ?? 0} tokens{asked > 0 && `, ${asked} waiting for you`}
          </p>
        </header>
        <Conversation empty={<p>Ask something.</p>} footer={<Composer isBusy={isBusy} />} />
        <aside>
          <PlanPanel />
        </aside>
        <ReplayBar store={thread.store} />
      </main>
    </ThreadProvider>
  )
}
