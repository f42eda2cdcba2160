import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Sink } from '../log/pump.ts'
import { nodeSink } from './node-sink.ts'
import { webSink } from './web-sink.ts'

export interface StreamOptions {
  readonly request: Request
  readonly node: HttpBindings | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The reader took nothing for too long. */
  readonly onCut: () => void
  /** Called once, when the stream is over. */
  readonly onClose?: () => void
  /** Fills the stream; the sink is ended or closed when it resolves. */
  readonly write: (sink: Sink) => Promise<void>
}

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  // `no-transform` keeps compressing proxies from holding events back; the last line is for nginx.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** A response that goes on: on Node's raw response where there is one, as a web stream elsewhere. */
export function streamResponse(options: StreamOptions): Response {
  const { request, node, headers, onClose = () => {} } = options
  if (request.method === 'HEAD') {
    onClose()
    return new Response(null, { headers })
  }
  if (node === undefined) {
    const { sink, stream } = webSink(request.signal)
    fill(options, sink)
    return new Response(stream, { headers })
  }
  const { outgoing } = node
  outgoing.writeHead(200, headers)
  outgoing.flushHeaders()
  outgoing.socket?.setNoDelay(true)
  fill(options, nodeSink(outgoing, options.onCut))
  return RESPONSE_ALREADY_SENT
}

/** A store that is unavailable, or is being closed, ends the stream: its readers resume after the last id. */
function fill({ write, onClose = () => {} }: StreamOptions, sink: Sink): void {
  // The reader may have closed its connection before there was anything to listen to.
  if (sink.isClosed()) onClose()
  else sink.onClose(onClose)
  write(sink).catch(() => sink.end())
}
