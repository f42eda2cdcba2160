import { ClewlineError } from '@clewline/core'

/** How events are written: as Server-Sent Events unless the client names another form. */
export type Form = 'sse' | 'ndjson' | 'protobuf'

export const CONTENT_TYPES: Readonly<Record<Form, string>> = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  // HttpAgent compares it exactly, so no parameters.
  protobuf: 'application/vnd.ag-ui.event+proto',
}

/** `*\/*`, an absent header and anything that covers SSE mean SSE. The encoder's own rule takes `*\/*` for protobuf. */
export function negotiate(accept: string | null): Form {
  const ranges = (accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { type, quality: quality === undefined ? 1 : Number(quality) || 0 }
  })
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
  if (wanted.every(({ type }) => type === '')) return 'sse'
  for (const { type } of wanted) {
    if (type === CONTENT_TYPES.protobuf) return 'protobuf'
    if (/^application\/(?:(?:x-)?ndjson|jsonl)$/.test(type)) return 'ndjson'
    if (type === CONTENT_TYPES.sse || type === 'text/*' || type === '*/*') return 'sse'
    // fetch-based clients that expect an error body ask for JSON next to nothing else; they can read SSE.
    if (type === 'application/json') return 'sse'
  }
  throw new ClewlineError('not-acceptable', `Cannot answer as ${accept}.`, {
    hint: `Accept one of: ${Object.values(CONTENT_TYPES).join(', ')}.`,
  })
}
