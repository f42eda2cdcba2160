import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Aim, formatAim } from './aim.ts'

/** A real server in a process of its own. */
export interface ChaosProcess {
  /** Empty when it was aimed at what a server does while it starts, and is gone already. */
  readonly url: string
  /** Aborted when the process is gone. */
  readonly gone: AbortSignal
  /** As `kill -9` does; resolves when it is gone. */
  kill(): Promise<void>
}

/** Processes that are loaded, and open a store when they are told to. */
export interface ChaosProcesses {
  open(store: string, aim: Aim | null): Promise<ChaosProcess>
  close(): void
}

interface Spare {
  readonly child: ChildProcess
  readonly gone: AbortSignal
  /** The end of what it has printed as errors. */
  readonly said: () => string
}

// Built, not from source: loading takes a third of the time, and there are hundreds of them.
const script = fileURLToPath(new URL('../../dist/chaos/chaos-server.js', import.meta.url))

/** Keeps one spare process warm, so that a kill costs no more than opening the store. */
export function chaosProcesses(effects: string): ChaosProcesses {
  let spare = warm(effects)
  return {
    async open(store, aim) {
      const taken = spare
      spare = warm(effects)
      return await opened(taken, store, aim)
    },
    close: () => void spare.child.kill('SIGKILL'),
  }
}

function warm(effects: string): Spare {
  const env = { ...process.env, CLEWLINE_CHAOS_EFFECTS: effects }
  const child = fork(script, { env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const gone = new AbortController()
  child.once('exit', () => gone.abort())
  let said = ''
  child.stderr?.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-4_000)))
  return { child, gone: gone.signal, said: () => said }
}

async function opened({ child, gone, said }: Spare, store: string, aim: Aim | null): Promise<ChaosProcess> {
  const orders = { store, aim: aim === null ? '' : formatAim(aim) }
  if (child.connected) child.send(orders)
  const answer = await once(child, 'message', { signal: gone }).catch(() => null)
  const isKilled = child.signalCode === 'SIGKILL'
  if (answer === null && !isKilled) throw new Error(`The server did not start: ${said()}`)
  return {
    url: answer === null ? '' : (answer[0] as { url: string }).url,
    gone,
    async kill() {
      child.kill('SIGKILL')
      if (!gone.aborted) await once(gone, 'abort')
    },
  }
}
