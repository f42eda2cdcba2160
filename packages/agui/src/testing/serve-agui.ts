import { serve } from '@hono/node-server'
import type { AddressInfo } from 'node:net'
import { aguiHandlers } from '../http/agui-handlers.ts'
import type { AguiOptions } from '../http/agui-handlers.ts'

export interface AguiServer {
  /** URL of an agent. */
  url(agent: string): string
  /** Breaks every open connection, as a proxy or a tunnel would. */
  cut(): void
  readonly requests: Request[]
  close(): Promise<void>
}

/** A real HTTP server on a free port with the handlers and nothing else. */
export async function serveAgui(options: AguiOptions): Promise<AguiServer> {
  const handlers = aguiHandlers(options)
  const requests: Request[] = []
  const sockets = new Set<{ destroy(): unknown }>()
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const starting = serve(
      {
        port: 0,
        hostname: '127.0.0.1',
        fetch(request) {
          requests.push(request)
          const [, agent = '', action] = new URL(request.url).pathname.split('/')
          if (action === 'capabilities') return handlers.capabilities(request, agent)
          return action === 'connect' ? handlers.connect(request, agent) : handlers.run(request, agent)
        },
      },
      () => resolve(starting),
    )
    starting.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
  })
  const { port } = server.address() as AddressInfo
  return {
    url: (agent) => `http://127.0.0.1:${port}/${agent}`,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        sockets.forEach((socket) => socket.destroy())
      }),
  }
}
