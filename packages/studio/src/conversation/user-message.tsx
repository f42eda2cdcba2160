import type { Message } from '@clewline/core'
import type { Call } from '@clewline/core/view'
import { Pencil } from 'lucide-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import { IconButton } from '../design/icon-button.tsx'
import { usePage } from '../store/page-context.ts'
import { ReplayMark } from './replay-mark.tsx'

export function UserMessage({
  message,
  root,
}: {
  readonly message: Message
  readonly root: Call
}): ReactNode {
  const { rerun } = usePage()
  const [draft, setDraft] = useState<string | null>(null)
  if (draft !== null && rerun !== undefined) {
    return (
      <EditMessage
        text={draft}
        onChange={setDraft}
        onCancel={() => setDraft(null)}
        onRun={async () => {
          await rerun(root, draft)
          setDraft(null)
        }}
      />
    )
  }
  return (
    <article className="cw-user" aria-label="You">
      <div className="cw-user-text">{message.text}</div>
      <div className="cw-user-actions">
        <ReplayMark origin={root.origin} />
        <CopyButton text={message.text} label="Copy message" />
        {rerun !== undefined && root.parent_id === null && (
          <IconButton
            label="Edit and run again from here"
            size="small"
            onClick={() => setDraft(message.text)}
          >
            <Pencil size={13} />
          </IconButton>
        )}
      </div>
    </article>
  )
}

function EditMessage(props: {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onCancel: () => void
  readonly onRun: () => Promise<void>
}): ReactNode {
  const [isBusy, setBusy] = useState(false)
  async function run(): Promise<void> {
    setBusy(true)
    await props.onRun().finally(() => setBusy(false))
  }
  function press(event: KeyboardEvent): void {
    if (event.key === 'Escape') props.onCancel()
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void run()
  }
  return (
    <div className="cw-user-edit">
      <textarea
        className="cw-input"
        aria-label="Edit message"
        rows={3}
        autoFocus
        value={props.text}
        onChange={(event) => props.onChange(event.target.value)}
        onKeyDown={press}
      />
      <div className="cw-dialog-actions">
        <span className="cw-hint">Runs in a new thread; this one stays as it is.</span>
        <Button size="small" look="quiet" onClick={props.onCancel}>
          Cancel
        </Button>
        <Button
          size="small"
          look="primary"
          disabled={isBusy || props.text.trim() === ''}
          onClick={() => void run()}
        >
          Run from here
        </Button>
      </div>
    </div>
  )
}
