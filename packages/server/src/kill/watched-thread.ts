import type { Entry, Envelope } from '@clewline/core'
import type { Resolver } from '@clewline/core/parts'
import { parseJsonl } from '@clewline/core/read'
import { readEvents } from '../testing/read-events.ts'

/** A thread and all that one reader of it has been given so far, across any number of connections. */
export interface WatchedThread {
  readonly thread_id: string
  readonly seen: Entry[]
  readonly parts: Resolver
}

type Headers = Readonly<Record<string, string>>

/** Reads on from the last id, as an EventSource does, until the connection is lost or `until` has come. */
export async function readOn(
  url: string,
  { thread_id, seen, parts }: WatchedThread,
  signal: AbortSignal,
  { headers = {}, until = Infinity }: { readonly headers?: Headers; readonly until?: number } = {},
): Promise<void> {
  const last = seen.at(-1)?.position ?? 0
  if (last >= until) return
  try {
    const events = `${url}/api/threads/${thread_id}/events?profile=debug`
    for await (const entry of readEvents(events, {
      headers: { ...headers, 'last-event-id': `${last}` },
      signal,
      parts,
    })) {
      seen.push(entry)
      if (entry.position >= until) return
    }
  } catch {
    // Killed, or not there yet: the next round reads on.
  }
}

/** The log of a thread, as it is exported. */
export async function exportedLog(
  url: string,
  thread_id: string,
  headers: Headers = {},
): Promise<readonly Envelope[]> {
  const response = await fetch(`${url}/api/threads/${thread_id}/export`, { headers })
  const envelopes: Envelope[] = []
  for await (const read of parseJsonl([await response.text()])) {
    if ('problem' in read) throw new Error(read.problem)
    envelopes.push(read.envelope)
  }
  return envelopes
}

/** Whether the reader was given every envelope of the log once, in order. */
export function hasSeen({ seen }: WatchedThread, log: readonly Envelope[]): boolean {
  return (
    seen.length === log.length &&
    seen.every(
      ({ position, envelope }, i) =>
        position === i + 1 && JSON.stringify(envelope) === JSON.stringify(log[i]),
    )
  )
}
