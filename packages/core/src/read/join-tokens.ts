import type { LlmToken } from '../envelope.ts'
import { sumRedactions } from './sum-redactions.ts'

/** True when two pieces continue each other: one speaker, one channel, one tool call. */
export function isSameSpeech(a: LlmToken, b: LlmToken): boolean {
  return (
    a.run_id === b.run_id &&
    a.origin === b.origin &&
    a.agent === b.agent &&
    (a.payload.channel ?? 'text') === (b.payload.channel ?? 'text') &&
    isSame(a.payload.message_id, b.payload.message_id) &&
    a.payload.tool_call?.index === b.payload.tool_call?.index &&
    isSame(a.payload.tool_call?.id, b.payload.tool_call?.id)
  )
}

/** Sources name the message and the tool call with the first piece and may leave it out after that. */
const isSame = (first: string | undefined, later: string | undefined): boolean =>
  later === undefined || later === '' || first === later

/** One piece that stands for all of them, which continue each other. */
export function joinTokens(tokens: readonly [LlmToken, ...LlmToken[]]): LlmToken {
  const [first] = tokens
  const last = tokens.at(-1)
  if (last === undefined || last === first) return first
  const { logprob: _one, ...said } = first.payload
  const logprob = jointLogprob(tokens)
  const redacted = sumRedactions(tokens.map(({ payload }) => payload.redacted))
  return {
    ...first,
    ts: last.ts,
    seq: last.seq,
    payload: {
      ...said,
      text: tokens.map(({ payload }) => payload.text).join(''),
      ...(logprob !== undefined && { logprob }),
      ...(redacted !== undefined && { redacted }),
      from_seq: first.payload.from_seq ?? first.seq,
    },
  }
}

/** The probability of the whole, unless one piece does not say. */
function jointLogprob(tokens: readonly LlmToken[]): number | undefined {
  let sum = 0
  for (const { payload } of tokens) {
    if (payload.logprob === undefined) return undefined
    sum += payload.logprob
  }
  return sum
}
