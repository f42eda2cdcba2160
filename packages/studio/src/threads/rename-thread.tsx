import { useState, type ReactNode } from 'react'
import { explain } from '../connection/api-error.ts'
import type { Thread } from '../connection/resources.ts'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'

export function RenameThread(props: {
  readonly thread: Thread
  readonly onClose: () => void
  readonly onRename: (title: string) => Promise<void>
}): ReactNode {
  const [title, setTitle] = useState(props.thread.title ?? '')
  const [problem, setProblem] = useState('')
  async function rename(): Promise<void> {
    try {
      await props.onRename(title.trim())
      props.onClose()
    } catch (error) {
      setProblem(explain(error).message)
    }
  }
  return (
    <Dialog title="Rename thread" onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void rename()
        }}
      >
        <label className="sk-field">
          Title
          <input
            className="sk-input"
            maxLength={200}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        {problem !== '' && (
          <p className="sk-problem" role="alert">
            {problem}
          </p>
        )}
        <div className="sk-dialog-actions sk-dialog-end">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={title.trim() === ''}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
