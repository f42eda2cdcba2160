import type { Envelope } from '../envelope.ts'

/** The first `seq` that an envelope stands for: its own, unless it was joined. */
export function firstSeq(envelope: Envelope): number {
  const isJoined = envelope.type === 'llm_token' || envelope.type === 'tool_update'
  return (isJoined ? envelope.payload.from_seq : undefined) ?? envelope.seq
}
