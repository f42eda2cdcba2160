import { HEARTBEAT_MS } from '@clewline/client/sse'
import type { Sink } from '../log/pump.ts'

const BEAT = Buffer.from(': hb\n\n')

/** One timer that keeps the connections of all readers alive through proxies. */
export interface Heartbeat {
  join(sink: Sink): void
  stop(): void
}

export function createHeartbeat(everyMs = HEARTBEAT_MS): Heartbeat {
  const sinks = new Set<Sink>()
  const timer = setInterval(() => {
    for (const sink of sinks) sink.write(BEAT)
  }, everyMs)
  timer.unref()
  return {
    join(sink) {
      sinks.add(sink)
      sink.onClose(() => sinks.delete(sink))
    },
    stop: () => clearInterval(timer),
  }
}
