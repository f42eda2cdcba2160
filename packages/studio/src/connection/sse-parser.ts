/** One dispatched server-sent event. */
export interface SseEvent {
  /** `message` when the stream named none. */
  readonly event: string
  readonly data: string
  /** The last `id:` of the stream so far; empty when there was none. */
  readonly id: string
}

/**
 * Text chunks in, whole events out. Synchronous and per chunk, because a history arrives as megabytes at once and a
 * promise per event would cost more than the parsing.
 */
export function createSseParser(): { push(chunk: string): SseEvent[] } {
  let rest = ''
  let data: string[] = []
  let event = ''
  let id = ''

  function field(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) return
    const name = colon === -1 ? line : line.slice(0, colon)
    const start = colon === -1 ? line.length : line[colon + 1] === ' ' ? colon + 2 : colon + 1
    const value = line.slice(start)
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
  }

  return {
    push(chunk) {
      const text = rest + chunk
      const events: SseEvent[] = []
      let from = 0
      for (;;) {
        let end = from
        while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++
        // A lone CR at the end of a chunk may be half of a CRLF: wait for what follows.
        if (end >= text.length || (text[end] === '\r' && end + 1 === text.length)) break
        const line = text.slice(from, end)
        from = end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1)
        if (line !== '') field(line)
        else {
          if (data.length > 0) events.push({ event: event || 'message', data: data.join('\n'), id })
          data = []
          event = ''
        }
      }
      rest = text.slice(from)
      return events
    },
  }
}
