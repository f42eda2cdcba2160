import { HEARTBEAT_MS } from '@clewline/client/sse'
import type { Sink } from '../log/pump.ts'

const BEAT = Buffer.from(': hb\n\n')

/** One timer that keeps the connections of all readers alive through proxies. */
export interface Heartbeat {
  /** `beat` keeps the connection alive without meaning anything in the sink's form; a comment of SSE by default. */
  join(sink: Sink, beat?: Uint8Array): void
  stop(): void
}

export function createHeartbeat(everyMs = HEARTBEAT_MS): Heartbeat {
  const beats = new Map<Sink, Uint8Array>()
  const timer = setInterval(() => {
    for (const [sink, beat] of beats) sink.write(beat)
  }, everyMs)
  timer.unref()
  return {
    join(sink, beat = BEAT) {
      beats.set(sink, beat)
      sink.onClose(() => beats.delete(sink))
    },
    stop: () => clearInterval(timer),
  }
}
