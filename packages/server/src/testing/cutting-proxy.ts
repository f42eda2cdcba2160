import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttingProxy {
  readonly url: string
  /** Resets every connection that is open now. */
  readonly cut: () => void
  /** Sends the connections that come from now on to another server. */
  readonly lead: (url: string) => void
}

/** A network that can be cut: TCP through to the server at `url`, closed when the test is over. */
export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  let port = Number(new URL(url).port)
  const sockets = new Set<Socket>()
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    cut()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    cut,
    lead: (to) => void (port = Number(new URL(to).port)),
  }
}
