import { MoreHorizontal, Pencil, Search, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { client } from '../connection/client.ts'
import { explain } from '../connection/explain.ts'
import type { Thread } from '@clewline/client'
import { Button } from '../design/button.tsx'
import { Menu } from '../design/menu.tsx'
import { StatusDot } from '../design/status-dot.tsx'
import { formatWhen } from '../design/time.ts'
import { useNow } from '../design/use-now.ts'
import { goTo } from '../routes/use-route.ts'
import { formatRoute } from '../routes/route.ts'
import type { Directory } from './directory.ts'
import { RemoveThread } from './remove-thread.tsx'
import { RenameThread } from './rename-thread.tsx'
import { threadTitle } from './thread-title.ts'

/** Threads, newest first, with what they do now. */
export function ThreadList({
  directory,
  open,
}: {
  readonly directory: Directory
  readonly open: string | null
}): ReactNode {
  const { threads, next, query, isLoaded, problem } = useStore(directory)
  const [renamed, setRenamed] = useState<Thread | null>(null)
  const [removed, setRemoved] = useState<Thread | null>(null)
  const now = useNow(30_000)
  return (
    <>
      <label className="cw-find cw-side-find">
        <Search size={13} aria-hidden />
        <input
          className="cw-focusable"
          type="search"
          aria-label="Search threads"
          placeholder="Search threads"
          value={query}
          onChange={(event) => directory.search(event.target.value)}
        />
      </label>
      <div className="cw-threads">
        <ul aria-label="Threads">
          {threads.map((thread) => (
            <li
              key={thread.thread_id}
              className="cw-thread"
              data-open={thread.thread_id === open || undefined}
            >
              <a
                className="cw-focusable"
                href={formatRoute({ to: 'thread', thread: thread.thread_id })}
                aria-current={thread.thread_id === open ? 'page' : undefined}
              >
                <StatusDot status={thread.status} />
                <span className="cw-thread-title">{threadTitle(thread)}</span>
                <span className="cw-thread-when">
                  {formatWhen(Math.min(now, Date.parse(thread.updated_at)), now).replace(' ago', '')}
                </span>
              </a>
              <Menu
                label={`Actions for ${threadTitle(thread)}`}
                trigger={<MoreHorizontal size={14} />}
                actions={[
                  { label: 'Rename', icon: Pencil, onSelect: () => setRenamed(thread) },
                  { label: 'Delete', icon: Trash2, isDanger: true, onSelect: () => setRemoved(thread) },
                ]}
              />
            </li>
          ))}
        </ul>
        {isLoaded && threads.length === 0 && (
          <p className="cw-hint cw-side-note">
            {problem !== ''
              ? problem
              : query !== ''
                ? 'No thread has this in its title.'
                : 'Threads appear here once a run has started.'}
          </p>
        )}
        {next !== null && (
          <Button look="quiet" size="small" onClick={() => void directory.more()}>
            Show more
          </Button>
        )}
      </div>
      {renamed !== null && (
        <RenameThread
          thread={renamed}
          onClose={() => setRenamed(null)}
          onRename={async (title) => directory.put(await client.threads.update(renamed.thread_id, { title }))}
        />
      )}
      {removed !== null && (
        <RemoveThread
          thread={removed}
          onClose={() => setRemoved(null)}
          onRemove={async () => {
            try {
              await client.threads.delete(removed.thread_id)
            } catch (error) {
              return explain(error).message
            }
            directory.drop(removed.thread_id)
            if (removed.thread_id === open) goTo({ to: 'home' })
            return ''
          }}
        />
      )}
    </>
  )
}
