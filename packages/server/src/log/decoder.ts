import { ClewlineError, type Entry, type Envelope } from '@clewline/core'
import { createResolver, type StoredEnvelope } from '@clewline/core/parts'
import type { Segment, SegmentStore } from '../store/store.ts'
import { framesOf, type ParsedSegment } from './frames.ts'
import { createPartTexts } from './part-texts.ts'

/** Reads rows of one thread: parses them, and puts the parts in their places. */
export interface Decoder {
  /** The entries of a row after a position, with whole values. */
  decode(segment: Segment, after?: number): Promise<ParsedSegment>
}

export interface DecoderOptions {
  /** Leaves out what the reader does not want, before the parts in it are looked for. */
  readonly project?: (envelope: StoredEnvelope) => StoredEnvelope
}

/** Characters of parts that a decoder keeps for the rows to come. Beyond them it starts anew, and reads what it needs again. */
const KEPT = 64 * 1024 * 1024

/** For rows in any order, though in that of the log it rarely has to ask the store. */
export function createDecoder(
  segments: Pick<SegmentStore, 'rowsOfParts'>,
  thread: string,
  { project = (envelope) => envelope }: DecoderOptions = {},
): Decoder {
  let texts = createPartTexts(segments, thread)
  let resolver = createResolver()

  /** Whether all that the envelope refers to is at hand now. A part is parsed when it is needed, not before. */
  async function define(envelope: StoredEnvelope): Promise<boolean> {
    for (let names = resolver.missing(envelope); names.length > 0; names = resolver.missing(envelope)) {
      const unread = names.filter((name) => texts.get(name) === undefined)
      if (unread.length > 0 && (await texts.fetch(unread)).length < unread.length) return false
      for (const name of names) resolver.define({ part: name, value: JSON.parse(texts.get(name)!) })
    }
    return true
  }

  async function resolved(envelope: StoredEnvelope): Promise<Envelope> {
    try {
      if (await define(envelope)) return resolver.resolve(envelope)
    } catch (error) {
      if (!isMalformed(error)) throw error
    }
    // Version 1 of the protocol had no parts, so a value of its that looks like a reference is itself.
    return envelope as Envelope
  }

  return {
    async decode(segment, after = 0) {
      if (texts.size() > KEPT) {
        texts = createPartTexts(segments, thread)
        resolver = createResolver()
      }
      const stored: { position: number; envelope: StoredEnvelope }[] = []
      const parts: string[] = []
      for (const frame of framesOf(segment)) {
        if (frame.type === 'part') {
          texts.note(frame.name, frame.value)
          parts.push(frame.name)
        } else if (frame.position > after) {
          stored.push({ position: frame.position, envelope: project(JSON.parse(frame.json)) })
        }
      }
      const entries: Entry[] = []
      for (const { position, envelope } of stored)
        entries.push({ position, envelope: isPlain(envelope) ? plain(envelope) : await resolved(envelope) })
      return { ...segment, entries, parts }
    },
  }
}

/** The hot path: most envelopes are tokens, and few of those refer to anything. */
const isPlain = ({ type, payload }: StoredEnvelope): boolean =>
  type === 'llm_token' && typeof payload['text'] === 'string' && payload['tool_call'] === undefined

const plain = (envelope: StoredEnvelope): Envelope => envelope as Envelope

const isMalformed = (error: unknown): boolean => error instanceof ClewlineError && error.code === 'bad-file'
