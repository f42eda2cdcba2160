import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { IconButton } from '../design/icon-button.tsx'
import { StatusDot } from '../design/status-dot.tsx'
import { formatRoute } from '../routes/route.ts'

/** Something that happened elsewhere. */
interface Notice {
  readonly title: string
  readonly text: string
  readonly status: string
  readonly thread?: string
}

export interface NoticeBoard extends StoreApi<{
  readonly notices: readonly (Notice & { readonly id: number })[]
}> {
  add(notice: Notice): void
  drop(id: number): void
}

const STAY_MS = 10_000

export function createNotices(): NoticeBoard {
  const store: StoreApi<{ readonly notices: readonly (Notice & { readonly id: number })[] }> = createStore(
    () => ({ notices: [] }),
  )
  let count = 0
  const drop = (id: number): void =>
    store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))
  return {
    ...store,
    drop,
    add(notice) {
      const id = ++count
      store.setState(({ notices }) => ({ notices: [...notices, { ...notice, id }].slice(-4) }))
      setTimeout(() => drop(id), STAY_MS)
    },
  }
}

/** Notices about `open`, the thread on the screen, say nothing new. */
export function Notices(props: { readonly notices: NoticeBoard; readonly open: string | null }): ReactNode {
  const { notices: board, open } = props
  const all = useStore(board, (state) => state.notices)
  const notices = all.filter(({ thread }) => thread === undefined || thread !== open)
  return (
    <div className="cw-notices" role="status" aria-label="Notices">
      {notices.map(({ id, title, text, status, thread }) => (
        <div key={id} className="cw-notice">
          <StatusDot status={status} />
          <strong>{title}</strong>
          <IconButton label="Dismiss" size="small" onClick={() => board.drop(id)}>
            <X size={13} />
          </IconButton>
          <p>
            {text} {thread !== undefined && <a href={formatRoute({ to: 'thread', thread })}>Open</a>}
          </p>
        </div>
      ))}
    </div>
  )
}
