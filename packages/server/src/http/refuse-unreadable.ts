import type { Duplex } from 'node:stream'
import { Socket } from 'node:net'

/** What Node's parser says of a request → the answer. Anything else is no HTTP. */
const ANSWERS: Readonly<Record<string, { status: string; code: string; message: string; hint: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'too-large',
    message: 'The headers of the request are too large.',
    hint: 'Send at most 32 kB of headers, address included.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'bad-request',
    message: 'The request took too long to arrive.',
    hint: 'Send it faster, or in parts.',
  },
}
const NO_HTTP = {
  status: '400 Bad Request',
  code: 'bad-request',
  message: 'This is not an HTTP request.',
  hint: 'Speak HTTP/1.1; if you speak HTTPS, put a proxy for it in front of the server.',
}

/** For `clientError` of a Node server: a request that never becomes one is refused like any other, then hung up on. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // In the middle of an answer, a second one would be taken for a part of it.
  const isFresh = socket instanceof Socket && socket.bytesWritten === 0
  if (!isFresh || !socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const { status, ...refusal } = ANSWERS[error.code ?? ''] ?? NO_HTTP
  const body = JSON.stringify({ error: refusal })
  const length = Buffer.byteLength(body)
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\nconnection: close`
  socket.end(`${head}\r\n\r\n${body}`)
}
