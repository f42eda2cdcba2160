import type { Thread } from '@clewline/client'

/** Threads by when they last changed. */
export function newestFirst(threads: Iterable<Thread>): readonly Thread[] {
  return [...threads].toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
}
