import { setTimeout as sleep } from 'node:timers/promises'
import { PROTOCOL, type WorkerLine, type WorkerRequest } from './protocol.ts'
import { startWorker, type WorkerCommand, type WorkerProcess } from './worker-process.ts'

/** Keeps one worker alive: started lazily, pinged, restarted with exponential backoff, and a circuit breaker after too many deaths. */
export interface Supervisor {
  /** A worker that is ready. Rejects with a `WorkerError` when there is none to be had. */
  worker(): Promise<LiveWorker>
  stop(): Promise<void>
  /** For tests and operators. */
  readonly pid: number | undefined
}

export interface LiveWorker {
  /** Resolves when the worker has accepted the request. */
  request(request: WorkerRequest): Promise<void>
  pause(): void
  resume(): void
  readonly gone: Promise<{ readonly reason: string }>
}

export interface SupervisorOptions {
  readonly command: WorkerCommand
  readonly onEvent: (line: Extract<WorkerLine, { kind: 'event' }>) => void
  readonly timings?: Partial<SupervisorTimings>
}

export interface SupervisorTimings {
  /** How long the worker may take to import Langroid. Default 60 s. */
  readonly readyMs: number
  /** Default every 15 s, with 5 s to answer. */
  readonly pingMs: number
  readonly pongMs: number
  /** Exponential backoff before a restart. Default 0.5 s, doubled up to 10 s. */
  readonly backOffMs: number
  readonly maxBackOffMs: number
  /** Circuit breaker: after so many deaths within the window it is not restarted. Default 5 in 60 s. */
  readonly maxDeaths: number
  readonly deathWindowMs: number
}

const DEFAULTS: SupervisorTimings = {
  readyMs: 60_000,
  pingMs: 15_000,
  pongMs: 5_000,
  backOffMs: 500,
  maxBackOffMs: 10_000,
  maxDeaths: 5,
  deathWindowMs: 60_000,
}

/** The worker cannot be used: it does not start, or it died. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const timings = { ...DEFAULTS, ...options.timings }
  let current: Promise<LiveWorker> | undefined
  let processNow: WorkerProcess | undefined
  let deaths: { readonly at: number; readonly reason: string }[] = []
  let isStopped = false

  async function start(): Promise<LiveWorker> {
    deaths = deaths.filter(({ at }) => at > Date.now() - timings.deathWindowMs)
    if (deaths.length >= timings.maxDeaths) {
      const often = `died ${deaths.length} times in ${timings.deathWindowMs / 1000} s`
      throw new WorkerError(
        `The Python worker ${often} and is not restarted now. Last: ${deaths.at(-1)?.reason}`,
      )
    }
    if (deaths.length > 0) {
      const backOff = Math.min(timings.backOffMs * 2 ** (deaths.length - 1), timings.maxBackOffMs)
      await sleep(backOff)
    }
    if (isStopped) throw new WorkerError('The Python worker was stopped.')
    const answers = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()
    let nextId = 0
    let isPaused = false
    let becomeReady: (() => void) | undefined
    let failStart: ((error: Error) => void) | undefined

    const worker = startWorker(options.command, (line) => {
      switch (line.kind) {
        case 'ready':
          if (line.protocol === PROTOCOL) becomeReady?.()
          else worker.fail(`The worker speaks protocol ${line.protocol}, not ${PROTOCOL}.`)
          return
        case 'fatal':
          worker.fail(`The worker could not load its agents: ${line.type}: ${line.message}`)
          return
        case 'answer': {
          const waiting = answers.get(line.re)
          answers.delete(line.re)
          if (line.ok) waiting?.resolve()
          else waiting?.reject(new WorkerError(`The worker refused: ${line.error ?? 'no reason given'}`))
          return
        }
        case 'event':
          options.onEvent(line)
          return
        case 'other':
          return
      }
    })
    processNow = worker

    const live: LiveWorker = {
      pause() {
        isPaused = true
        worker.pause()
      },
      resume() {
        isPaused = false
        worker.resume()
      },
      gone: worker.gone,
      request: (request) =>
        new Promise((resolve, reject) => {
          const id = String(++nextId)
          answers.set(id, { resolve, reject })
          worker.send(id, request)
        }),
    }
    let ping: NodeJS.Timeout | undefined
    void worker.gone.then(({ reason }) => {
      clearInterval(ping)
      current = undefined
      processNow = undefined
      if (!isStopped) deaths.push({ at: Date.now(), reason })
      const error = new WorkerError(reason)
      failStart?.(error)
      for (const { reject } of answers.values()) reject(error)
      answers.clear()
    })

    const late = setTimeout(
      () => worker.fail(`The worker was not ready after ${timings.readyMs} ms.`),
      timings.readyMs,
    )
    try {
      await new Promise<void>((resolve, reject) => {
        becomeReady = resolve
        failStart = reject
      })
    } finally {
      clearTimeout(late)
    }
    // Not before: a worker that imports Langroid cannot answer.
    ping = pinger(live, worker, timings, () => isPaused)
    return live
  }

  return {
    worker() {
      if (isStopped) return Promise.reject(new WorkerError('The Python worker was stopped.'))
      current ??= start().catch((error: unknown) => {
        current = undefined
        throw error
      })
      return current
    },
    async stop() {
      isStopped = true
      await processNow?.stop()
    },
    get pid() {
      return processNow?.pid
    },
  }
}

/** Liveness check: a worker that does not answer a ping hangs, and is killed with its runs. */
function pinger(
  live: LiveWorker,
  worker: WorkerProcess,
  timings: SupervisorTimings,
  isPaused: () => boolean,
): NodeJS.Timeout {
  return setInterval(() => {
    const late = setTimeout(() => {
      // Under backpressure it blocks in its own write, which is not its fault.
      if (!isPaused()) worker.fail(`The worker did not answer within ${timings.pongMs} ms.`)
    }, timings.pongMs)
    live.request({ op: 'ping' }).then(
      () => clearTimeout(late),
      () => clearTimeout(late),
    )
  }, timings.pingMs).unref()
}
