import { CircleAlert, MessageSquare } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { EmptyState } from '../design/empty-state.tsx'
import { goTo } from '../routes/use-route.ts'
import type { ThreadState } from '../store/thread-store.ts'

/** What stands where a conversation would be: it loads, it cannot be read, or nothing was said yet. */
export function ThreadEmpty({ state }: { readonly state: ThreadState }): ReactNode {
  const { connection, intake, isLoaded } = state
  if (connection.type === 'refused' && connection.code === 'not-found') {
    return (
      <EmptyState
        icon={CircleAlert}
        title="There is no such thread"
        action={<Button onClick={() => goTo({ to: 'home' })}>New thread</Button>}
      >
        It was deleted, or the link belongs to another server.
      </EmptyState>
    )
  }
  if (connection.type === 'refused') {
    return (
      <EmptyState icon={CircleAlert} title="This thread cannot be read">
        {connection.why} {connection.hint}
      </EmptyState>
    )
  }
  if (connection.type === 'file' && isLoaded) {
    return (
      <EmptyState icon={CircleAlert} title="No envelopes in this file">
        {intake.problemCount > 0
          ? `${intake.problemCount} lines are no envelopes. The first of them: ${intake.problems[0] ?? ''}`
          : 'A recording is JSONL: one envelope as JSON on each line. Export one from a thread, or with clewline export.'}
      </EmptyState>
    )
  }
  if (!isLoaded) {
    return (
      <div className="cw-loading" role="status">
        <span className="cw-spinner" />
        Loading
      </div>
    )
  }
  return (
    <EmptyState icon={MessageSquare} title="Nothing said yet">
      Write a message below. Everything the agent does appears here and on the right, and stays to be
      replayed.
    </EmptyState>
  )
}
