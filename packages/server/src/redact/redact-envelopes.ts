import type { Envelope } from '@clewline/core'
import { type HoldBack, holdBack } from './hold-back.ts'
import { marksIn, type Redaction } from './redaction.ts'

/**
 * Redacts a log that is at hand: an import, a fork, an edit. Texts that come in pieces are redacted as in a run; each piece
 * stays, with the text that is released by it or none, and the last one has the rest, so that `seq` has no gap.
 */
export function redactEnvelopes(
  redaction: Redaction | null,
  envelopes: readonly Envelope[],
): readonly Envelope[] {
  if (redaction === null) return envelopes
  const out: Envelope[] = []
  const streams = new Map<string, { readonly hold: HoldBack; last: number }>()

  function released(envelope: Piece, text: string): Envelope {
    const key = keyOf(envelope)
    const { agent } = envelope
    const stream = streams.get(key) ?? {
      hold: holdBack((held) => redaction!.text(held, 'token', agent)),
      last: 0,
    }
    streams.set(key, stream)
    stream.last = out.length
    return withText(envelope, stream.hold.push(text))
  }

  function endStreams(call_id: string): void {
    for (const [key, { hold, last }] of streams) {
      const piece = out[last]
      if (piece?.call_id !== call_id || !isPiece(piece)) continue
      streams.delete(key)
      out[last] = withText(piece, (piece.payload.text ?? '') + hold.end())
    }
  }

  for (const envelope of envelopes) {
    if (isPiece(envelope) && envelope.payload.text !== undefined) {
      const { text } = envelope.payload
      const rest = envelope.type === 'llm_token' ? envelope : redaction.said(withText(envelope, '')).said
      out.push(released(rest, text))
      continue
    }
    if (STARTS_AND_ENDS.has(envelope.type)) endStreams(envelope.call_id)
    out.push(redaction.said(envelope).said)
  }
  for (const { call_id } of [...streams.values()].flatMap(({ last }) => out[last] ?? [])) endStreams(call_id)
  return out
}

type Piece = Extract<Envelope, { type: 'llm_token' | 'tool_update' }>

const STARTS_AND_ENDS: ReadonlySet<Envelope['type']> = new Set([
  'tool_start',
  'tool_end',
  'llm_start',
  'llm_end',
  'error',
])

function isPiece(envelope: Envelope): envelope is Piece {
  return envelope.type === 'llm_token' || envelope.type === 'tool_update'
}

function keyOf(piece: Piece): string {
  if (piece.type === 'tool_update') return piece.call_id
  const { channel = '', tool_call } = piece.payload
  return [piece.call_id, channel, tool_call?.index ?? ''].join('\0')
}

function withText(piece: Piece, text: string): Piece {
  const redacted = marksIn(text)
  const marks = redacted === undefined ? {} : { redacted: { ...piece.payload.redacted, ...redacted } }
  return piece.type === 'llm_token'
    ? { ...piece, payload: { ...piece.payload, text, ...marks } }
    : { ...piece, payload: { ...piece.payload, text, ...marks } }
}
