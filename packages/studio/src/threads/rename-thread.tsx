import { useState, type ReactNode } from 'react'
import type { Thread } from '@clewline/client'
import { FormDialog } from '../design/form-dialog.tsx'

export function RenameThread(props: {
  readonly thread: Thread
  readonly onClose: () => void
  readonly onRename: (title: string) => Promise<void>
}): ReactNode {
  const [title, setTitle] = useState(props.thread.title ?? '')
  return (
    <FormDialog
      title="Rename thread"
      submit="Rename"
      isReady={title.trim() !== ''}
      onSubmit={() => props.onRename(title.trim())}
      onClose={props.onClose}
    >
      <label className="cw-field">
        Title
        <input
          className="cw-input"
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
      </label>
    </FormDialog>
  )
}
