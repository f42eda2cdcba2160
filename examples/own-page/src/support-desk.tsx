import {
  Composer,
  Conversation,
  createApi,
  PlanPanel,
  ReplayBar,
  ThreadProvider,
  useThread,
} from '@skein/studio'
import { useEffect, type ReactNode } from 'react'

const api = createApi()

/** A thread with its plan beside it. The hook does the streaming; the components are plain React. */
export function SupportDesk({
  thread,
  agent,
}: {
  readonly thread: string
  readonly agent: string
}): ReactNode {
  const used = useThread(thread, { api })
  // Same id, same thread: creating it again is how a page says "this one".
  useEffect(() => void api.createThread({ thread_id: thread, agent }), [agent, thread])
  const isBusy = [...used.timeline.latest().runs.values()].some(({ status }) => status === 'running')
  const asked = used.view.interrupts.length
  return (
    <ThreadProvider thread={used} agent={agent}>
      <main>
        <header>
          <h1>Research desk</h1>
          <p>
            {used.view.usage.total_tokens ?? 0} tokens{asked > 0 && `, ${asked} waiting for you`}
          </p>
        </header>
        <Conversation empty={<p>Ask something.</p>} footer={<Composer isBusy={isBusy} />} />
        <aside>
          <PlanPanel />
        </aside>
        <ReplayBar store={used.store} />
      </main>
    </ThreadProvider>
  )
}
