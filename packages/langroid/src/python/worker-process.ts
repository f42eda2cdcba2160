import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { MAX_LINE, PROTOCOL, readLine, type WorkerLine, type WorkerRequest } from './protocol.ts'

export interface WorkerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** The whole environment of the worker. */
  readonly env: Readonly<Record<string, string>>
  /** Called with what it writes to stderr. */
  readonly onStderr?: (text: string) => void
}

/** One worker process and its lines. */
export interface WorkerProcess {
  readonly pid: number | undefined
  send(id: string, request: WorkerRequest): void
  /** Backpressure: stops reading while a run's reader is behind, so that the worker blocks in its own write. */
  readonly pause: () => void
  readonly resume: () => void
  /** Kills the process group, children included, at once. `gone` resolves with the first reason given. */
  readonly fail: (reason: string) => void
  /** Graceful: closes its input, and sends signals only when that is not enough. */
  stop(): Promise<void>
  /** Resolves when it has exited, or could not be started. Never rejects. */
  readonly gone: Promise<{ readonly reason: string }>
}

const GRACE = 3000

export function startWorker(command: WorkerCommand, onLine: (line: WorkerLine) => void): WorkerProcess {
  // A process group of its own, so that the worker's children can be killed with it.
  const child = spawn(command.command, [...command.args], {
    ...(command.cwd !== undefined && { cwd: command.cwd }),
    env: { ...command.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  })
  let fault: string | undefined
  let buffered = ''

  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => command.onStderr?.(text))
  child.stdout.on('data', (text: string) => {
    buffered += text
    let from = 0
    for (let end = buffered.indexOf('\n'); end !== -1; end = buffered.indexOf('\n', from)) {
      const line = buffered.slice(from, end)
      from = end + 1
      if (fault === undefined && line.trim() !== '') accept(line)
    }
    buffered = buffered.slice(from)
    if (buffered.length > MAX_LINE) fail('The worker wrote a line that is too long.')
  })
  // EPIPE: the worker has exited, which `gone` reports.
  child.stdin.on('error', () => {})

  function accept(line: string): void {
    try {
      onLine(readLine(line))
    } catch (error) {
      fail(
        `The worker wrote a line that cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  function fail(reason: string): void {
    fault ??= reason
    kill('SIGKILL')
  }

  function kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (child.exitCode === null && child.signalCode === null) killGroup(signal)
  }

  function killNow(): void {
    killGroup('SIGKILL')
  }

  function killGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (child.pid === undefined) return
    try {
      if (process.platform === 'win32') child.kill(signal)
      else process.kill(-child.pid, signal)
    } catch {
      // ESRCH: it has exited already.
    }
  }

  // Its children may hold its pipes open, and `close` waits for the end of those.
  child.once('exit', killNow)
  // A worker that is stuck in a tool does not notice that its input has ended, and would outlive this process.
  process.once('exit', killNow)

  const gone = new Promise<{ reason: string }>((resolve) => {
    child.once('error', (error) => resolve({ reason: whyNotStarted(command, error) }))
    child.once('close', (code, signal) => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`
      resolve({ reason: fault ?? `The worker exited ${how}.` })
    })
  })
  void gone.then(() => process.off('exit', killNow))

  return {
    pid: child.pid,
    gone,
    send(id, request) {
      child.stdin.write(`${JSON.stringify({ v: PROTOCOL, id, ...request })}\n`)
    },
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    fail,
    async stop() {
      child.stdin.end()
      const timers = [setTimeout(() => kill('SIGTERM'), GRACE), setTimeout(() => kill('SIGKILL'), 2 * GRACE)]
      await gone
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Node says ENOENT of the program also when it is the folder that is missing. */
function whyNotStarted({ cwd }: WorkerCommand, error: NodeJS.ErrnoException): string {
  const hint =
    error.code !== 'ENOENT'
      ? ''
      : cwd !== undefined && !existsSync(cwd)
        ? ` The folder ${cwd} (\`cwd\`) is not there.`
        : ` Set \`python\` to an interpreter that has Langroid, such as .venv/bin/python.`
  return `The worker did not start: ${error.message}.${hint}`
}
