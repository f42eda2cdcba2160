import { readSse } from '@clewline/client/sse'
import type { Entry } from '@clewline/core'
import { createResolver, type Resolver } from '@clewline/core/parts'

export interface ReadEvents {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** What earlier connections brought, and where this one's parts are kept. Default: none. */
  readonly parts?: Resolver
}

/**
 * Reads an SSE response as a browser's EventSource would, over one real connection: no resuming, no dedupe. Parts are put
 * in their places; one that neither came with the stream nor was there before is an error.
 */
export async function* readEvents(url: string, options: ReadEvents = {}): AsyncGenerator<Entry> {
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...options.headers },
    signal: options.signal ?? null,
  })
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`)
  const { parts = createResolver() } = options
  for await (const events of readSse(response.body)) {
    for (const { id, event, data } of events) {
      if (event === 'part') parts.define(JSON.parse(data))
      if (event === undefined) yield { position: Number(id), envelope: parts.resolve(JSON.parse(data)) }
    }
  }
}

/** Collects until one arrives that `isLast`. */
export async function eventsUntil(
  url: string,
  isLast: (entry: Entry) => boolean,
  options: ReadEvents = {},
): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const entry of readEvents(url, options)) {
    found.push(entry)
    if (isLast(entry)) return found
  }
  return found
}

/** The end of a run's root call. */
export function isRootEnd({ envelope }: Entry): boolean {
  return envelope.parent_id === null && (envelope.type === 'tool_end' || envelope.type === 'error')
}
