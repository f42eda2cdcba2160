import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** As `kill -9` does; resolves when it is gone. */
  kill(): Promise<void>
  /** As an orchestrator does; resolves with the exit code. */
  terminate(): Promise<number | null>
}

const script = fileURLToPath(new URL('./kill-server.ts', import.meta.url))
const folder = fileURLToPath(new URL('../..', import.meta.url))

/** A real server in a process of its own, from source. */
export async function startServer(store: string, clock: number): Promise<ServerProcess> {
  const child = spawn(
    process.execPath,
    ['--conditions=source', '--import', 'jiti/register', script, store, String(clock)],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-4_000)))
  const url = await Promise.race([firstLine(child), gone(child).then(() => null)])
  if (url === null) throw new Error(`The server did not start: ${said}`)
  return {
    url,
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL')
      await gone(child)
    },
    async terminate() {
      child.kill('SIGTERM')
      await gone(child)
      return child.exitCode
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) return ''
  for await (const line of createInterface({ input: child.stdout })) return line
  return await new Promise(() => {})
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
