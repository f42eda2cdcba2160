import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttingProxy {
  /** The server's URL, by way of the proxy. */
  readonly url: string
  /** Resets every connection that is open now. */
  readonly cut: () => void
  /** Sends the connections that come from now on to another server. */
  readonly lead: (url: string) => void
  /**
   * From now on nothing comes through, in either direction, and neither end gets to know it: connections are accepted and
   * stay open.
   */
  readonly stall: () => void
  /** New connections come through again; those that were stalled never do. */
  readonly resume: () => void
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
  isSilent: boolean
}

/** A network that can be cut, or go silent: TCP through to the server at `url`, closed when the test is over. */
export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  let port = Number(new URL(url).port)
  let isStalled = false
  const pairs = new Set<Pair>()

  function silence(pair: Pair): void {
    pair.isSilent = true
    pair.near.unpipe().resume()
    pair.far.unpipe().resume()
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const pair: Pair = {
      near,
      far: connect({ port, host: '127.0.0.1', allowHalfOpen: true }),
      isSilent: false,
    }
    pairs.add(pair)
    for (const [one, other] of [
      [near, pair.far],
      [pair.far, near],
    ] as const) {
      one.pipe(other)
      one.on('error', () => {
        if (!pair.isSilent) other.destroy()
      })
      one.on('close', () => {
        if (pair.isSilent) return
        pairs.delete(pair)
        other.destroy()
      })
    }
    if (isStalled) silence(pair)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = (): void => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }
  onTestFinished(() => {
    server.close()
    cut()
  })
  const address = server.address()
  const through = Object.assign(new URL(url), { port: typeof address === 'object' ? address?.port : 0 })
  return {
    url: through.href.replace(/\/$/, ''),
    cut,
    lead: (to) => void (port = Number(new URL(to).port)),
    stall() {
      isStalled = true
      for (const pair of pairs) silence(pair)
    },
    resume: () => void (isStalled = false),
  }
}
