import { redactedMark } from './redact.ts'

/** A secret must be known as one from so many of its first characters. */
const RECOGNISED_IN = 64
/** More than so many characters are not held. */
const MOST_HELD = 16 * 1024

/** A stream of text that is redacted: what may be recorded of it, as it becomes known. */
export interface HoldBack {
  /** Takes the next piece; returns what may be recorded now, which is often nothing. */
  push(text: string): string
  /** The stream is over: the rest. */
  end(): string
}

/**
 * Redacts a text that comes in pieces, so that a secret that is split over them is found. A stretch is released at a
 * boundary between words, once 64 more characters have come and cutting there changes nothing: what `redact` makes of the
 * two sides is what it makes of the whole. So the record is about 64 characters behind the model, and a match that has begun
 * is held until it is over. A stretch of 16,384 characters that cannot be cut is not recorded, and neither is the rest of
 * the stream: the end of the call has the whole text, redacted.
 */
export function holdBack(redact: (text: string) => string): HoldBack {
  let held = ''
  /** An attempt that failed is repeated when there is an eighth more: linear in the length, not quadratic. */
  let tryAt = 0
  let isShut = false

  function release(): string | null {
    const cut = boundaryBefore(held, held.length - RECOGNISED_IN)
    if (cut === 0) return null
    const head = redact(held.slice(0, cut))
    const tail = held.slice(cut)
    if (head + redact(tail) !== redact(held)) return null
    held = tail
    return head
  }

  return {
    push(text) {
      if (isShut) return ''
      held += text
      if (held.length < tryAt) return ''
      const released = release()
      tryAt = released === null ? held.length + Math.max(16, held.length >> 3) : 0
      if (released !== null || held.length <= MOST_HELD) return released ?? ''
      isShut = true
      held = ''
      return redactedMark('too-long')
    },
    end() {
      const rest = held === '' ? '' : redact(held)
      held = ''
      return rest
    },
  }
}

/** Characters that no key, token or address has; those of scripts without spaces, too. */
const BOUNDARY = /[\s,;!?"'<>(){}[\]|]|[^\p{ASCII}]/u
const LOW_SURROGATE = /[\uDC00-\uDFFF]/

/** The last boundary at or before `end`; 0 when there is none. */
function boundaryBefore(text: string, end: number): number {
  for (let cut = end; cut > 0; cut--) {
    if (BOUNDARY.test(text[cut - 1]!) && !LOW_SURROGATE.test(text[cut] ?? '')) return cut
  }
  return 0
}
