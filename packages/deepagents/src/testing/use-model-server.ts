import { afterEach } from 'vitest'
import { startModelServer, type Script } from './model-server.ts'

const open: { stop(): Promise<unknown> }[] = []

/** Starts a model for the current test and stops it after it. Call once at the top of a test file. */
export function useModelServer() {
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.stop()))
  })
  return async (script: Script) => {
    const server = await startModelServer(script)
    open.push(server)
    return server
  }
}
