import type { ServerResponse } from 'node:http'
import type { Sink } from '../log/pump.ts'

/** Bytes that may wait in this process for one reader before it has to catch up from the store. */
const SHARE = 1024 * 1024
/** A reader whose connection takes nothing for so long is disconnected; it can resume after the last id it has. */
const STALL_MS = 30_000

/** Writes shared buffers straight to Node's response: a web stream per reader costs twice that, an SSE helper 25 times. */
export function nodeSink(response: ServerResponse, onCut: () => void, stallMs = STALL_MS): Sink {
  // A response that has ended is not closed until its reader has taken the rest, and a write to it would be an
  // uncaught error.
  const isClosed = (): boolean => response.writableEnded || response.destroyed
  return {
    write(bytes) {
      if (isClosed()) return false
      if (bytes.length > 0) response.write(bytes)
      return response.writableLength < SHARE
    },
    room: () => (isClosed() ? Promise.resolve(false) : roomIn(response, onCut, stallMs)),
    isClosed,
    onClose(listener) {
      response.once('close', listener)
    },
    end() {
      if (isClosed()) return
      response.end()
      const timer = setTimeout(() => cut(response, onCut), stallMs).unref()
      response.once('close', () => clearTimeout(timer))
    },
  }
}

function cut(response: ServerResponse, onCut: () => void): void {
  onCut()
  response.destroy()
}

function roomIn(response: ServerResponse, onCut: () => void, stallMs: number): Promise<boolean> {
  if (response.writableLength < SHARE) return Promise.resolve(true)
  return new Promise((resolve) => {
    const done = (hasRoom: boolean): void => {
      clearTimeout(timer)
      response.off('drain', onDrain)
      response.off('close', onClose)
      resolve(hasRoom)
    }
    const onDrain = (): void => done(true)
    const onClose = (): void => done(false)
    const timer = setTimeout(() => {
      cut(response, onCut)
      done(false)
    }, stallMs)
    response.once('drain', onDrain)
    response.once('close', onClose)
  })
}
