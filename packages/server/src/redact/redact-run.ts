import type { CallPath, Draft } from '@clewline/core/source'
import { type HoldBack, holdBack } from './hold-back.ts'
import { marksIn, type Redaction } from './redaction.ts'

/** Redacts the drafts of one run, with the texts that come in pieces. */
export interface RunRedaction {
  /** What may be recorded now: the draft, redacted, and what was held before it; nothing while a text is held back. */
  admit(draft: Draft): readonly Draft[]
  /** What is held of the call at this path and of those below it, which are over. */
  flush(path: CallPath): readonly Draft[]
}

type Piece = Extract<Draft, { type: 'llm_token' | 'tool_update' }>

interface Stream {
  readonly hold: HoldBack
  /** The piece whose facts (message, tool call) go with the text that is released next. */
  facts: Piece
  /** Whether they have been recorded: those of the next piece are newer. */
  isSaid: boolean
}

export function redactRun(redaction: Redaction): RunRedaction {
  const streams = new Map<string, Stream>()
  let hasWarned = false

  function streamOf(piece: Piece): Stream {
    const key = keyOf(piece)
    const known = streams.get(key)
    if (known === undefined) {
      const hold = holdBack((text) => redaction.text(text, 'token', piece.agent))
      const stream: Stream = { hold, facts: piece, isSaid: false }
      streams.set(key, stream)
      return stream
    }
    if (known.isSaid) Object.assign(known, { facts: piece, isSaid: false })
    return known
  }

  function takeToken(piece: Extract<Draft, { type: 'llm_token' }>): readonly Draft[] {
    // A first piece that only names its tool call holds no text.
    if (piece.payload.text === '') return [piece]
    const stream = streamOf(piece)
    return said(stream, stream.hold.push(piece.payload.text))
  }

  /** The text of an update is held; whatever else it says is not. */
  function takeUpdate(piece: Extract<Draft, { type: 'tool_update' }>): readonly Draft[] {
    const { text, ...rest } = piece.payload
    const others = Object.keys(rest).length > 1 ? redacted({ ...piece, payload: rest }) : []
    if (text === undefined) return others
    const stream = streamOf({ ...piece, payload: { tool_name: rest.tool_name } })
    return [...said(stream, stream.hold.push(text)), ...others]
  }

  function redacted(draft: Draft): readonly Draft[] {
    const { said: seen, failures } = redaction.said(draft)
    if (failures === 0 || hasWarned) return [seen]
    hasWarned = true
    const message = 'The function that redacts failed for a value of this call, which was not recorded.'
    const { path, agent } = draft
    return [seen, { type: 'warning', path, agent, payload: { code: 'redact-failed', message } }]
  }

  function flush(path: CallPath): readonly Draft[] {
    const rest: Draft[] = []
    for (const [key, stream] of streams) {
      if (!isWithin(stream.facts.path, path)) continue
      streams.delete(key)
      rest.push(...said(stream, stream.hold.end()))
    }
    return rest
  }

  return {
    flush,
    admit(draft) {
      switch (draft.type) {
        case 'llm_token':
          return takeToken(draft)
        case 'tool_update':
          return takeUpdate(draft)
        case 'tool_start':
        case 'llm_start':
        case 'tool_end':
        case 'llm_end':
        case 'error':
          // The call ends, or begins again.
          return [...(streams.size === 0 ? [] : flush(draft.path)), ...redacted(draft)]
        case 'subgraph_checkpoint':
        case 'subgraph_resume':
        case 'warning':
          return redacted(draft)
      }
    },
  }
}

/** The text that a stream releases, as a draft. */
function said(stream: Stream, text: string): readonly Draft[] {
  if (text === '') return []
  const { facts } = stream
  const marks = marksIn(text)
  stream.isSaid = true
  const redacted = marks === undefined ? {} : { redacted: marks }
  if (facts.type === 'tool_update') return [{ ...facts, payload: { ...facts.payload, text, ...redacted } }]
  // The text is not that of the one token any more.
  const { logprob: _ofOne, ...payload } = facts.payload
  return [{ ...facts, payload: { ...payload, text, ...redacted } }]
}

function keyOf({ path, type, payload }: Piece): string {
  const { channel = '', tool_call } = type === 'llm_token' ? channelOf(payload) : {}
  return [...path, type, channel, tool_call?.index ?? ''].join('\0')
}

function channelOf(payload: Piece['payload']): Partial<Extract<Draft, { type: 'llm_token' }>['payload']> {
  return 'tool_name' in payload ? {} : payload
}

function isWithin(path: CallPath, around: CallPath): boolean {
  return around.length <= path.length && around.every((segment, i) => path[i] === segment)
}
