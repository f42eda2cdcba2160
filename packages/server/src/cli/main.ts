#!/usr/bin/env node
import { setMaxListeners } from 'node:events'
import { cli } from './cli.ts'
import { EXIT } from './command.ts'

// LangGraph 1.4.18 shares one signal among the calls of a superstep: fifty sub-agents at once are no leak.
setMaxListeners(0)

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The second one does not wait.
    if (stop.signal.aborted) process.exit(EXIT.stopped)
    stop.abort(name)
  })
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `clewline export … | head` closes the pipe: that is not an error.
    if (error.code === 'EPIPE') process.exit(EXIT.done)
    throw error
  })
}

const code = await cli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: stop.signal,
})

// An agent's tool may hold the process open, with a timer or a connection of its own: what is written is flushed, and that is all.
// One that is to stop does not wait for a reader that does not read.
if (stop.signal.aborted) setTimeout(() => process.exit(code), 1_000)
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => void stream.write('', () => resolve()))
}
process.exit(code)
