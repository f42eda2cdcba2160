import type { ServerResponse } from 'node:http'
import type { Sink } from '../log/pump.ts'

/** Bytes that may wait in this process for one reader before it has to catch up from the store. */
const SHARE = 1024 * 1024
/** A reader whose connection takes nothing for so long is cut; it can come back after the last id it has. */
const STALL_MS = 30_000

/** Writes shared buffers straight to Node's response: a web stream per reader costs twice that, an SSE helper 25 times. */
export function nodeSink(response: ServerResponse, onCut: () => void, stallMs = STALL_MS): Sink {
  return {
    write(bytes) {
      if (bytes.length > 0) response.write(bytes)
      return response.writableLength < SHARE
    },
    room: () => roomIn(response, onCut, stallMs),
    isClosed: () => response.closed || response.destroyed,
    onClose(listener) {
      response.once('close', listener)
    },
    end() {
      if (!response.writableEnded) response.end()
    },
  }
}

function roomIn(response: ServerResponse, onCut: () => void, stallMs: number): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false)
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
      onCut()
      response.destroy()
      done(false)
    }, stallMs)
    response.once('drain', onDrain)
    response.once('close', onClose)
  })
}
