import type { JsonObject } from '@clewline/core'
import type { Thread } from './store.ts'

/** A thread as SQL stores hold it. */
export interface ThreadRow extends Omit<Thread, 'metadata'> {
  readonly metadata: string
}

export const THREAD_COLUMNS = 'thread_id, title, agent, status, created_at, updated_at, owner, metadata'

/** In the order of `THREAD_COLUMNS`, without the id. */
export function threadValues(thread: Thread): (string | null)[] {
  const { title, agent, status, created_at, updated_at, owner, metadata } = thread
  return [title, agent, status, created_at, updated_at, owner, JSON.stringify(metadata)]
}

export function threadOf(row: ThreadRow): Thread {
  const metadata: JsonObject = JSON.parse(row.metadata)
  return { ...row, metadata }
}

/** A pattern for LIKE that finds the text itself. */
export function likeText(text: string): string {
  return `%${text.replace(/[\\%_]/g, (found) => `\\${found}`)}%`
}
