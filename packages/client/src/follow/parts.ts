import { ClewlineError, isRecord } from '@clewline/core'
import { createResolver, type StoredEnvelope } from '@clewline/core/parts'
import { partSchema, partsSchema } from '../resources/part.ts'
import { backoff } from '../sse/backoff.ts'
import type { Transport } from '../transport.ts'
import { isTransient, type ConnectionOptions } from './follow-events.ts'
import { sleep } from './sleep.ts'

/** The parts of a thread's log that a reader has: those of the stream, and any other from the server. */
export interface Parts {
  /** Takes the data of an event `part`. */
  readonly define: (value: unknown) => void
  /** Asks for the parts that the envelope refers to and that are not there. Null when all are: a promise per event would cost. */
  readonly fetch: (value: unknown) => Promise<void> | null
  /** An envelope with the parts in their places. A value that is no envelope is given back as it is. */
  readonly resolve: (value: unknown) => unknown
}

/** Names in one request, as many as the server takes. */
const NAMES = 100

/** `at` is the path of the thread. */
export function createParts({ get }: Transport, at: string, options: ConnectionOptions): Parts {
  const { signal, retries = Infinity } = options
  const resolver = createResolver()

  /** A reader that joined in the middle lacks what came before it. Resolves with how many parts came. */
  async function ask(names: readonly string[]): Promise<number> {
    const path = `${at}/parts?names=${names.slice(0, NAMES).join(',')}`
    for (let attempt = 0; ; attempt++) {
      try {
        const { parts } = await get(partsSchema, path, signal && { signal })
        for (const part of parts) resolver.define(part)
        return parts.length
      } catch (error) {
        if (!isTransient(error) || attempt >= retries) throw error
        await sleep(backoff(attempt), signal)
      }
    }
  }

  async function fetch(envelope: StoredEnvelope): Promise<void> {
    for (let names = missing(envelope); names.length > 0; names = missing(envelope))
      if ((await ask(names)) === 0) return
  }

  function missing(envelope: StoredEnvelope): readonly string[] {
    return orElse([], () => resolver.missing(envelope))
  }

  return {
    define(value) {
      const { data } = partSchema.safeParse(value)
      if (data !== undefined) resolver.define(data)
    },
    fetch: (value) => (isStored(value) && missing(value).length > 0 ? fetch(value) : null),
    resolve: (value) => (isStored(value) ? orElse<unknown>(value, () => resolver.resolve(value)) : value),
  }
}

/** Version 1 of the protocol had no parts, so a value of its that looks like a reference is itself. */
function orElse<T>(fallback: T, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ClewlineError && error.code === 'bad-file') return fallback
    throw error
  }
}

const isStored = (value: unknown): value is StoredEnvelope => isRecord(value) && isRecord(value['payload'])
