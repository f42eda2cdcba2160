import { Columns2, Download, GitFork, Link2, MoreHorizontal, Pencil } from 'lucide-react'
import type { ReactNode } from 'react'
import type { NoticeBoard } from '../background/notices.tsx'
import type { Command } from '../commands/command.ts'
import { useCommands } from '../commands/offered-commands.ts'
import { explain } from '../connection/explain.ts'
import type { Thread } from '@clewline/client'
import { copyText } from '../design/copy-text.ts'
import { Menu, type MenuAction } from '../design/menu.tsx'
import { exportRecording } from '../replay/export-recording.ts'
import { goTo } from '../routes/use-route.ts'
import type { ThreadState } from '../store/thread-store.ts'
import { checkpointAt } from '../threads/checkpoint-at.ts'
import { client } from '../connection/client.ts'

/** What can be done with a thread, as a menu and as commands. */
export function ThreadMenu(props: {
  readonly thread: string
  readonly title: string
  readonly state: ThreadState
  readonly notices: NoticeBoard
  readonly onFork: (made: Thread) => void
  /** Absent until the server has told about the thread. */
  readonly onRename: (() => void) | undefined
}): ReactNode {
  const { thread, title, notices, onRename } = props
  const { timeline, cursor } = props.state

  /** From the moment that is on the screen. */
  async function fork(): Promise<void> {
    const checkpoint_id = cursor === null ? null : checkpointAt(timeline, cursor)
    if (cursor !== null && checkpoint_id === null) {
      notices.add({ title: 'Nothing to fork from', text: 'The run had saved nothing yet.', status: 'idle' })
      return
    }
    try {
      props.onFork(await client.threads.fork(thread, checkpoint_id === null ? {} : { checkpoint_id }))
    } catch (error) {
      notices.add({ title: 'Could not fork', text: explain(error).message, status: 'error' })
    }
  }

  const actions: readonly (MenuAction | null)[] = [
    {
      label: 'Rename',
      icon: Pencil,
      isDisabled: onRename === undefined,
      onSelect: () => onRename?.(),
    },
    { label: 'Copy link', icon: Link2, onSelect: () => void copyText(window.location.href) },
    { label: 'Fork from here', icon: GitFork, onSelect: () => void fork() },
    null,
    {
      label: 'Export JSONL',
      icon: Download,
      onSelect: () => void exportRecording(client, thread, timeline, title),
    },
    { label: 'Compare with…', icon: Columns2, onSelect: () => goTo({ to: 'compare', left: thread }) },
  ]
  useCommands(() =>
    actions.flatMap((action): Command[] =>
      action === null || action.isDisabled
        ? []
        : [{ id: action.label, title: action.label, group: 'This thread', run: action.onSelect }],
    ),
  )
  return <Menu label="Thread actions" trigger={<MoreHorizontal size={16} />} actions={actions} />
}
