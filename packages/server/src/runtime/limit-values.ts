import { isRecord, type Json } from '@clewline/core'
import type { Draft } from '@clewline/core/source'

/** A text of this many bytes is refused when no limit is configured. */
export const MAX_VALUE_BYTES = 32 * 1024 * 1024

/**
 * Refuses values that are too large for the record: in the place of each stands a mark, and a `warning` follows. Nothing
 * is cut. Memoised by object: a message that is sent with each of a hundred calls is looked at once.
 */
export function limitValues(maxBytes: number): (draft: Draft) => readonly Draft[] {
  const marked = new WeakMap<object, { readonly value: Json; readonly refused: number }>()

  function limited(value: Json): { readonly value: Json; readonly refused: number } {
    if (typeof value === 'string') return limitedText(value)
    if (typeof value !== 'object' || value === null) return { value, refused: 0 }
    const known = marked.get(value)
    if (known !== undefined) return known
    let refused = 0
    const fields = Object.entries(value).map(([key, field]): [string, Json] => {
      const now = limited(field)
      refused += now.refused
      return [key, now.value]
    })
    const found =
      refused === 0
        ? { value, refused }
        : { value: isRecord(value) ? Object.fromEntries(fields) : fields.map(([, item]) => item), refused }
    marked.set(value, found)
    return found
  }

  function limitedText(text: string): { readonly value: Json; readonly refused: number } {
    // UTF-8 has at most three bytes for each UTF-16 unit: most texts need not be counted.
    if (text.length * 3 <= maxBytes) return { value: text, refused: 0 }
    const bytes = Buffer.byteLength(text)
    if (bytes <= maxBytes) return { value: text, refused: 0 }
    return { value: `[refused: ${bytes} bytes, the limit is ${maxBytes}]`, refused: 1 }
  }

  return (draft) => {
    if (draft.type === 'llm_token' && draft.payload.text.length * 3 <= maxBytes) return [draft]
    // Every payload is JSON; its interface has no index signature to say so.
    const { value, refused } = limited(draft.payload as Json)
    if (refused === 0) return [draft]
    const message = `${refused} ${refused === 1 ? 'value was' : 'values were'} too large to be recorded.`
    return [
      { ...draft, payload: value } as Draft,
      {
        type: 'warning',
        path: draft.path,
        agent: draft.agent,
        payload: { code: 'too-large', message, limit_bytes: maxBytes, refused },
      },
    ]
  }
}
