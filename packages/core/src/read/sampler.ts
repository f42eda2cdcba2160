import type { Envelope, LlmToken, ToolUpdate } from '../envelope.ts'
import type { Entry } from '../event-log.ts'
import { isSameSpeech, joinTokens } from './join-tokens.ts'
import { isConflict, isSameWork, joinUpdates } from './join-updates.ts'
import { ClewlineError } from '../clewline-error.ts'
import { trim } from './trim.ts'

/** How much a reader sees. `debug` is everything; `user` joins tokens, limits the rate of updates and trims long logs. */
export const PROFILES = ['user', 'debug'] as const

/** One of `PROFILES`. */
export type Profile = (typeof PROFILES)[number]

/** How long the tokens of a call may be gathered, in ms. */
export const WINDOW_MS = { min: 25, max: 75, default: 50 } as const

export interface SamplerOptions {
  readonly profile: Profile
  /** How long the tokens of a call are gathered, in ms: within `WINDOW_MS`. */
  readonly windowMs?: number
  /**
   * How many positions at the start are put out one by one. A reader that comes back after a position needs `GROUP` of
   * them, because some of what follows that position it may have seen, and recognises by its `seq`.
   */
  readonly unjoined?: number
}

/**
 * A pure step with the time handed in. What it puts out carries the highest position P such that everything up to P has
 * been put out: a reader that comes back after P misses nothing.
 */
export interface Sampler {
  /** Takes an entry and gives what is to be shown now. */
  push(entry: Entry, nowMs: number): readonly Entry[]
  /** What has waited long enough; with `Infinity`, all that waits. */
  flush(nowMs: number): readonly Entry[]
  /** When `flush` has something next; null when nothing waits. */
  dueAt(): number | null
}

/** Nothing put out is further than this ahead of something that waits. */
export const GROUP = 512

/** At most 4 updates of a call in a second. It is also the longest that anything waits. */
const UPDATE_GAP_MS = 250

type Pending = {
  readonly position: number
  readonly due: number
} & (
  | { readonly is: 'tokens'; readonly said: [LlmToken, ...LlmToken[]] }
  | { readonly is: 'update'; said: ToolUpdate }
)

/** A sampler for one reader. It has no clock: the caller passes the time. */
export function createSampler(options: SamplerOptions): Sampler {
  const { profile, windowMs = WINDOW_MS.default, unjoined = 0 } = options
  if (!(windowMs >= WINDOW_MS.min && windowMs <= WINDOW_MS.max))
    throw new ClewlineError('bad-request', `A window of ${windowMs} ms is not possible.`, {
      hint: `Tokens are gathered for ${WINDOW_MS.min} to ${WINDOW_MS.max} ms.`,
    })
  return profile === 'debug' ? everything : gather(windowMs, unjoined)
}

const everything: Sampler = { push: (entry) => [entry], flush: () => [], dueAt: () => null }

function gather(windowMs: number, unjoined: number): Sampler {
  /** By call, in the order of their positions: one that waits is only ever added behind all others. */
  const waiting = new Map<string, Pending>()
  const shownAt = new Map<string, number>()
  let joinFrom: number | null = null
  let newest = 0
  let nextDue: number | null = null

  /** Everything up to here has been put out. */
  function safe(): number {
    for (const { position } of waiting.values()) return position - 1
    return newest
  }

  function show(envelope: Envelope, nowMs: number, out: Entry[]): void {
    const isOver = envelope.type === 'tool_end' || envelope.type === 'llm_end' || envelope.type === 'error'
    if (isOver) shownAt.delete(envelope.call_id)
    else if (isGathered(envelope)) shownAt.set(envelope.call_id, nowMs)
    out.push({ position: safe(), envelope: trim(envelope) })
  }

  function release(call: string, nowMs: number, out: Entry[]): void {
    const pending = waiting.get(call)
    if (pending === undefined) return
    waiting.delete(call)
    if (pending.due === nextDue) nextDue = earliest(waiting.values())
    // A flush of everything comes before its time, and what follows must not wait for ever after it.
    const at = nowMs === Infinity ? pending.due : nowMs
    show(pending.is === 'tokens' ? joinTokens(pending.said) : pending.said, at, out)
  }

  function releaseWhere(isRipe: (pending: Pending) => boolean, nowMs: number, out: Entry[]): void {
    for (const [call, pending] of waiting) if (isRipe(pending)) release(call, nowMs, out)
  }

  /** Whether the envelope could be joined to what waits; then it is. */
  function join(envelope: LlmToken | ToolUpdate): boolean {
    const pending = waiting.get(envelope.call_id)
    if (pending === undefined) return false
    if (pending.is === 'tokens' && envelope.type === 'llm_token' && isSameSpeech(pending.said[0], envelope)) {
      pending.said.push(envelope)
      return true
    }
    if (pending.is === 'update' && envelope.type === 'tool_update' && isSameWork(pending.said, envelope)) {
      pending.said = joinUpdates(pending.said, envelope)
      return true
    }
    return false
  }

  function hold(envelope: LlmToken | ToolUpdate, position: number, due: number): void {
    const pending: Pending =
      envelope.type === 'llm_token'
        ? { is: 'tokens', position, due, said: [envelope] }
        : { is: 'update', position, due, said: envelope }
    waiting.set(envelope.call_id, pending)
    if (nextDue === null || due < nextDue) nextDue = due
  }

  /** When it may be shown: its call has shown nothing for so long. */
  function ripeAt({ type, call_id }: LlmToken | ToolUpdate): number {
    return (shownAt.get(call_id) ?? -Infinity) + (type === 'llm_token' ? windowMs : UPDATE_GAP_MS)
  }

  function flushed(nowMs: number, out: Entry[]): void {
    if (nextDue !== null && nextDue <= nowMs) releaseWhere(({ due }) => due <= nowMs, nowMs, out)
  }

  return {
    push({ position, envelope }, nowMs) {
      const out: Entry[] = []
      flushed(nowMs, out)
      joinFrom ??= position + unjoined
      for (const [call, pending] of waiting) {
        if (pending.position > position - GROUP) break
        release(call, nowMs, out)
      }
      if (envelope.type === 'tool_update' && envelope.payload.delta !== undefined)
        releaseWhere((other) => isOrdered(other, envelope), nowMs, out)
      const isJoinable = isGathered(envelope) && position >= joinFrom
      const isJoined = isJoinable && join(envelope)
      if (!isJoined) release(envelope.call_id, nowMs, out)
      // Only now: what was released before it must not claim that this one has been shown.
      newest = position
      if (isJoinable && !isJoined && ripeAt(envelope) > nowMs) hold(envelope, position, ripeAt(envelope))
      else if (!isJoined) show(envelope, nowMs, out)
      return out
    },
    flush(nowMs) {
      const out: Entry[] = []
      flushed(nowMs, out)
      return out
    },
    dueAt: () => nextDue,
  }
}

const isGathered = (envelope: Envelope): envelope is LlmToken | ToolUpdate =>
  envelope.type === 'llm_token' || envelope.type === 'tool_update'

/** Two calls that change one file must be seen in the order in which they did. */
const isOrdered = (pending: Pending, update: ToolUpdate): boolean =>
  pending.is === 'update' && pending.said.call_id !== update.call_id && isConflict(pending.said, update)

function earliest(pendings: Iterable<Pending>): number | null {
  let least: number | null = null
  for (const { due } of pendings) if (least === null || due < least) least = due
  return least
}
