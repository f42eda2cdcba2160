import type { Thread } from '@clewline/client'

export function threadTitle(thread: Pick<Thread, 'title' | 'thread_id'>): string {
  return thread.title || `Thread ${thread.thread_id.slice(0, 8)}`
}
