import { framesOf } from '../log/frames.ts'
import type { Sink } from '../log/pump.ts'

/** Takes SSE frames and passes their data on, a line each. */
export function ndjsonOf(sink: Sink): Sink {
  return {
    ...sink,
    write(bytes) {
      let text = ''
      for (const { json } of framesOf({ bytes })) text += `${json}\n`
      return sink.write(Buffer.from(text))
    },
  }
}
