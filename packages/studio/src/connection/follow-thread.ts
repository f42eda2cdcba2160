import type { Entry } from '@clewline/core'
import type { Api } from './api.ts'
import { keepReading, type ConnectionStatus } from './keep-reading.ts'
import { parseEntry } from './parse-entry.ts'

export interface FollowOptions {
  readonly thread: string
  readonly profile: 'user' | 'debug'
  /** Position to go on after; asked for again at each reconnect. */
  readonly after: () => number
  readonly entries: (batch: readonly Entry[]) => void
  /** A line of the stream that is no envelope. */
  readonly problem: (message: string) => void
  readonly status: (status: ConnectionStatus) => void
  readonly signal: AbortSignal
}

/** Reads a thread's envelopes until `signal` aborts, resuming after the last position whenever the line breaks. */
export function followThread(api: Api, options: FollowOptions): Promise<void> {
  const { thread, profile, signal, status } = options
  return keepReading(api, {
    signal,
    status,
    path() {
      const search = new URLSearchParams({ after: String(options.after()), profile, follow: 'true' })
      return `/api/threads/${encodeURIComponent(thread)}/events?${search.toString()}`
    },
    events(batch) {
      const entries: Entry[] = []
      for (const { event, data, id } of batch) {
        if (event !== 'message') continue
        const parsed = parseEntry(data, Number(id))
        if ('problem' in parsed) options.problem(parsed.problem)
        else entries.push(parsed.entry)
      }
      if (entries.length > 0) options.entries(entries)
    },
  })
}
