import { useState, type ReactNode } from 'react'
import type { Thread } from '@clewline/client'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { threadTitle } from './thread-title.ts'

/** `onRemove` answers with what went wrong, or nothing. */
export function RemoveThread(props: {
  readonly thread: Thread
  readonly onClose: () => void
  readonly onRemove: () => Promise<string>
}): ReactNode {
  const [problem, setProblem] = useState('')
  async function remove(): Promise<void> {
    const wrong = await props.onRemove()
    if (wrong === '') props.onClose()
    else setProblem(wrong)
  }
  return (
    <Dialog
      title="Delete this thread?"
      description={`“${threadTitle(props.thread)}”, its runs and its log are deleted for everyone. Export it first to keep a copy.`}
      onClose={props.onClose}
    >
      {problem !== '' && (
        <p className="cw-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="cw-dialog-actions">
        <Button onClick={props.onClose}>Keep</Button>
        <Button look="danger" onClick={() => void remove()}>
          Delete
        </Button>
      </div>
    </Dialog>
  )
}
