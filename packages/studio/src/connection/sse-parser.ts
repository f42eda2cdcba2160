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
      const text = withLineFeeds(rest + chunk)
      const events: SseEvent[] = []
      let from = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        if (end > from) field(text.slice(from, end))
        else {
          if (data.length > 0) events.push({ event: event || 'message', data: data.join('\n'), id })
          data = []
          event = ''
        }
        from = end + 1
      }
      rest = text.slice(from)
      return events
    },
  }
}

/** The three line ends of the specification as one. A CR at the very end may be half of a CRLF: it waits. */
function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n|\r(?!$)/g, '\n') : text
}
