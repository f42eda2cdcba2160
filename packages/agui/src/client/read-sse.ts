export interface SseEvent {
  readonly id?: string
  readonly data: string
}

const MAX_BUFFER = 10_000_000

/** Server-Sent Events of a response, with their ids, which AG-UI's own parser drops. */
export async function* readSse(response: Response, signal: AbortSignal): AsyncGenerator<SseEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  let buffer = ''
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      buffer += value
      if (buffer.length > MAX_BUFFER) throw new Error('An event is larger than 10 MB.')
      const blocks = buffer.split(/\r?\n\r?\n/)
      buffer = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseBlock(block)
        if (event !== null) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseBlock(block: string): SseEvent | null {
  let id: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    else if (line.startsWith('id:')) id = line.slice(3).trim()
  }
  if (data.length === 0) return null
  return { data: data.join('\n'), ...(id !== undefined && { id }) }
}
