import { ClewlineError, type Entry } from '@clewline/core'
import { parseEnvelope } from '@clewline/core/read'

/** The entries of a response of `GET …/events`. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true })
    // A frame ends with an empty line. Until there is one, what has come is only kept.
    const frames = (rest + text).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const entry = entryOf(frame)
      if (entry !== null) yield entry
    }
  }
}

/** Null for comments, `retry:`, and events of another name. */
function entryOf(frame: string): Entry | null {
  let position = 0
  const data: string[] = []
  for (const line of frame.split('\n')) {
    if (line.startsWith('id:')) position = Number(line.slice(3))
    else if (line.startsWith('data:')) data.push(line.slice(5))
    else if (line.startsWith('event:')) return null
  }
  if (data.length === 0) return null
  const parsed = parseEnvelope(JSON.parse(data.join('\n')))
  if ('envelope' in parsed) return { position, envelope: parsed.envelope }
  throw new ClewlineError('unsupported', `The server said something that is no envelope: ${parsed.problem}`, {
    hint: 'Is it a Clewline of another version? See GET /info.',
  })
}
