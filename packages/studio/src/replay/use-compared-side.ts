import { useEffect, useMemo, useState } from 'react'
import { client } from '../connection/client.ts'
import { threadSession } from '../store/thread-session.ts'
import { createThreadStore, type ThreadStore } from '../store/thread-store.ts'
import { readRecording } from './read-recording.ts'

interface Chosen {
  readonly store: ThreadStore
  readonly file: string
  readonly open: (file: File) => void
}

/** A thread of the server, or a file that was opened in its place. */
export function useComparedSide(thread: string | undefined): Chosen {
  const [opened, setOpened] = useState<{
    readonly store: ThreadStore
    readonly name: string
    readonly for: string | undefined
  } | null>(null)
  const session = useMemo(
    () => (thread === undefined ? null : threadSession(client, thread, 'user')),
    [thread],
  )
  useEffect(() => session?.start(), [session])
  const empty = useMemo(() => createThreadStore(), [])
  const file = opened !== null && opened.for === thread ? opened : null
  return {
    store: file?.store ?? session?.store ?? empty,
    file: file?.name ?? '',
    open(chosen) {
      const store = createThreadStore()
      setOpened({ store, name: chosen.name, for: thread })
      void readRecording(chosen, store)
    },
  }
}
