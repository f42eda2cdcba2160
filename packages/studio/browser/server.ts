import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const cli = join(import.meta.dirname, '../../server/dist/cli/main.js')
const config = join(import.meta.dirname, 'clewline.config.ts')

/** The real server, in a process of its own, over a store that outlives it. */
export interface TestServer {
  readonly url: string
  /** SIGKILL: no chance to say goodbye. */
  kill(): Promise<void>
  /** Again, on the same port and store. */
  start(): Promise<void>
  /** Lets a story go on that waits at this gate. */
  open(gate: string): Promise<void>
  close(): Promise<void>
}

export interface ServerOptions {
  /** Milliseconds between the tokens of the research agent. */
  readonly paceMs?: number
  readonly token?: string
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const store = await mkdtemp(join(tmpdir(), 'clewline-studio-'))
  const port = await freePort()
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const env = { ...process.env, PACE_MS: String(options.paceMs ?? 4), GATES: store }
    const started = spawn(
      process.execPath,
      [
        cli,
        'start',
        '--port',
        String(port),
        '--store',
        store,
        '--config',
        config,
        '--json',
        // Stacks are recorded only then, and the error card shows them.
        '--debug',
        ...(options.token === undefined ? [] : ['--token', options.token]),
      ],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    child = started
    for await (const line of createInterface(started.stdout)) {
      if (line.startsWith('{')) return
    }
    throw new Error('The server ended before it was ready.')
  }
  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    start,
    kill,
    open: (gate) => writeFile(join(store, gate), ''),
    async close() {
      await kill()
      await rm(store, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === 'string') throw new Error('No free port.')
  return address.port
}
