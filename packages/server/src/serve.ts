import { createServer, type RequestListener, type Server } from 'node:http'
import { ClewlineError } from '@clewline/core'
import type { Clewline } from './create-clewline.ts'
import { refuseUnreadable } from './http/refuse-unreadable.ts'
import { nodeHandler } from './node-handler.ts'
import type { CloseOptions } from './runtime/create-runtime.ts'

/** Where to listen. */
export interface ServeOptions {
  /** Default 8123; 0 for any free one. */
  readonly port?: number
  /** Default 127.0.0.1. Any other address needs a token or `authenticate`. */
  readonly host?: string
}

/** A server that listens. */
export interface Serving {
  readonly url: string
  readonly port: number
  /** Stops listening, ends the readers, drains the runs and closes the store. */
  close(options?: CloseOptions): Promise<void>
}

/** Serves a Clewline over HTTP. */
export async function serve(clewline: Clewline, options: ServeOptions = {}): Promise<Serving> {
  const { port = 8123, host = '127.0.0.1' } = options
  if (!isLoopback(host) && !clewline.hasAuth) {
    throw new ClewlineError('bad-config', `Refusing to listen on ${host} without authentication.`, {
      hint: 'Set a token (--token, or "token" in clewline.config.ts) or "authenticate", or listen on 127.0.0.1.',
    })
  }
  const server = createServer(
    {
      maxHeaderSize: 32 * 1024,
      requestTimeout: 120_000,
      headersTimeout: 20_000,
      // Longer than the minute for which proxies keep a connection: Node's 5 s close it under their next request.
      keepAliveTimeout: 75_000,
    },
    isLoopback(host) && !clewline.hasAuth ? onlyLocal(nodeHandler(clewline)) : nodeHandler(clewline),
  )
  server.on('clientError', refuseUnreadable)
  await listen(server, port, host)
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close(how) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await clewline.close(how)
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * A name that a page had made to point at this machine (DNS rebinding) is not one that anybody here typed: without
 * this, that page would be of the same origin as the server.
 */
function onlyLocal(handler: RequestListener): RequestListener {
  return (request, response) => {
    const name = (request.headers.host ?? '')
      .toLowerCase()
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1')
    if (name === '' || isLoopback(name)) return handler(request, response)
    const error = {
      code: 'forbidden',
      message: `This server is not "${name.slice(0, 100)}".`,
      hint: 'Use http://localhost or http://127.0.0.1, or start the server with a token.',
    }
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  }
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ClewlineError('bad-config', `${port} is not a port.`, {
      hint: 'Choose one from 1 to 65535, or 0 for any free one.',
    })
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ClewlineError('unavailable', `Port ${port} on ${host} is taken.`, {
              hint: 'Choose another one with --port, or stop what listens there.',
              cause: error,
            })
          : new ClewlineError('unavailable', `Cannot listen on ${host}, port ${port}: ${error.message}.`, {
              hint: 'Check --host (an address of this machine) and --port (below 1024 needs privileges).',
              cause: error,
            }),
      )
    })
    server.listen(port, host, resolve)
  })
}

/** Only this machine can reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
