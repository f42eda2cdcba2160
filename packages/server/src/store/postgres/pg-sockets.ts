import { Socket } from 'node:net'

/**
 * The connections of one process to Postgres, as sockets: pg itself gives up on a query that is not answered, but keeps
 * its connection (8.23.1). A connection may go silent without a reset (a failover, a firewall that has dropped its
 * state); here it is destroyed, so that its queries reject and the pool replaces it.
 */
export interface PgSockets {
  /** A new one, for the option `stream` of pg. */
  open(): Socket
  /** Notes what each has received so far. The function that it returns destroys those that have received nothing since. */
  mark(): () => void
  destroyAll(): void
}

export interface PgSocketLimits {
  /** A connection over which nothing was received for so long after it was opened is given up. */
  readonly connectMs: number
  /** So long without a byte in either direction: longer than any statement may take. 0 for no limit. */
  readonly silentMs: number
}

export function pgSockets({ connectMs, silentMs }: PgSocketLimits): PgSockets {
  const sockets = new Set<Socket>()

  return {
    open() {
      const socket = new Socket()
      const deadline = setTimeout(() => {
        afterPoll(() => {
          if (socket.bytesRead === 0) socket.destroy(silence())
        })
      }, connectMs).unref()
      sockets.add(socket)
      socket.on('close', () => {
        clearTimeout(deadline)
        sockets.delete(socket)
      })
      if (silentMs > 0) socket.setTimeout(silentMs, () => socket.destroy(silence()))
      return socket
    },
    mark() {
      const received = new Map([...sockets].map((socket) => [socket, socket.bytesRead]))
      return () => {
        for (const [socket, bytes] of received) if (socket.bytesRead === bytes) socket.destroy(silence())
      }
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Timers come before I/O in a turn of the event loop: in a process that was frozen, an answer may be waiting to be read. */
export function afterPoll(work: () => void): void {
  setImmediate(work)
}

function silence(): Error {
  return Object.assign(new Error('The connection to Postgres has gone silent.'), { code: 'ETIMEDOUT' })
}
