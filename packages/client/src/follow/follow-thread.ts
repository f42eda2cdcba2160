import { ClewlineError, type Entry } from '@clewline/core'
import { parseEnvelope, type Profile } from '@clewline/core/read'
import { parseJson } from '../parse-json.ts'
import type { SseEvent } from '../sse/read-sse.ts'
import type { Transport } from '../transport.ts'
import { followEvents, type ConnectionOptions } from './follow-events.ts'
import { createIntake, type Intake } from './intake.ts'
import { createParts } from './parts.ts'

/** Which envelopes of a thread to read, and how. */
export interface FollowOptions extends ConnectionOptions {
  /** Position to start after. Default 0: everything that is there. */
  readonly after?: number
  /** `user` (default) joins tokens into 50 ms pieces and trims long logs; `debug` brings every envelope. */
  readonly profile?: Profile
  /** With profile `user`: also what models were asked, and raw answers. `debug` always has them. Default false. */
  readonly inputs?: boolean
  /** Dedupe state to go on with, and to look at for gaps. Default: a new one. */
  readonly intake?: Intake
  /** Told of a frame that is no envelope, which is then skipped. Without it such a frame is thrown as `unsupported`. */
  readonly onProblem?: (message: string) => void
}

/**
 * The envelopes of a thread, a batch at a time, across connections: exactly once and in order. It resumes after the last
 * safe position (PROTOCOL.md, section 6) and drops what comes again by `seq`. With `isBounded` it ends where the log ends now.
 */
export async function* followThread(
  transport: Transport,
  thread: string,
  options: FollowOptions,
  isBounded: boolean,
): AsyncGenerator<readonly Entry[], void> {
  const { profile = 'user', inputs = false, intake = createIntake(options), ...connection } = options
  const at = `/api/threads/${encodeURIComponent(thread)}`
  // Profile `user` has whole values: what looks like a reference there is none.
  const parts = profile === 'debug' ? createParts(transport, at, options) : null
  let position = options.after ?? 0
  const path = (): string => {
    const query = new URLSearchParams({ after: String(position), profile, follow: String(!isBounded) })
    if (inputs) query.set('inputs', 'true')
    return `${at}/events?${query.toString()}`
  }
  try {
    for await (const events of followEvents(transport, { ...connection, path })) {
      const entries: Entry[] = []
      for (const event of events) {
        if (event.event === 'part') parts?.define(parseJson(event.data))
        if (event.event !== undefined) continue
        const value = parseJson(event.data)
        const fetching = parts?.fetch(value) ?? null
        if (fetching !== null) await fetching
        const read = parseEntry(event, parts === null ? value : parts.resolve(value))
        if ('entry' in read) entries.push(read.entry)
        else if (options.onProblem === undefined) throw unsupported(read.problem)
        else options.onProblem(read.problem)
      }
      position = entries.at(-1)?.position ?? position
      const fresh = intake.take(entries)
      if (fresh.length > 0) yield fresh
      // Only a bounded stream says `end`. One that stops without it was cut, and is resumed.
      if (events.some(({ event }) => event === 'end')) return
    }
  } catch (error) {
    // Stopping is not an error, also while parts are asked for.
    if (!options.signal?.aborted) throw error
  }
}

function parseEntry({ id = '', data }: SseEvent, value: unknown): { entry: Entry } | { problem: string } {
  if (!/^\d+$/.test(id)) return { problem: `not a position: "${clip(id)}"` }
  if (value === undefined) return { problem: `not JSON: ${clip(data)}` }
  const parsed = parseEnvelope(value)
  return 'problem' in parsed ? parsed : { entry: { position: Number(id), envelope: parsed.envelope } }
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function unsupported(problem: string): ClewlineError {
  return new ClewlineError('unsupported', `The server sent something that is no envelope: ${problem}`, {
    hint: 'Is it a Clewline of another version? See GET /info.',
  })
}
