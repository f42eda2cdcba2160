/**
 * What a client of a given AG-UI version can read. A client before 1.0 does not say its version, and one unknown event
 * type ends its run (measured: 0.0.37 to 0.0.58), while unknown fields are ignored; so silence means the oldest.
 */
export interface Dialect {
  /** ACTIVITY_*: since 0.0.41. */
  readonly activities: boolean
  /** REASONING_* and messages of role `reasoning`: since 0.0.45. */
  readonly reasoning: boolean
  /** Parts of a user's message other than text: read by 0.0.59, refused by 0.0.37. */
  readonly parts: boolean
  /** SUBAGENT_* and `subagentRunId`: since 0.0.59. */
  readonly subagents: boolean
  /** `protocolVersion`, `usage`, parts of a tool's result, outcomes other than `interrupt`: since 1.0. */
  readonly v1: boolean
}

/** The dialect of a version such as `1.0` or `0.0.59`; the oldest (0.0.37) when it is absent or not a version. */
export function dialectOf(version?: string | null): Dialect {
  const rank = rankOf(version ?? '')
  return {
    activities: rank >= 41,
    reasoning: rank >= 45,
    parts: rank >= 59,
    subagents: rank >= 59,
    v1: rank >= 10_000,
  }
}

/** 0.0.N is N; from 0.1 on, above every 0.0.N; from 1.0 on, 10,000 and more. */
function rankOf(version: string): number {
  const match = /^(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?/.exec(version)
  if (match === null) return 0
  const [major = 0, minor = 0, patch = 0] = match.slice(1).map((part) => Number(part ?? 0))
  if (major > 0) return 10_000 * major
  return minor > 0 ? 5000 : patch
}
