import { fileURLToPath } from 'node:url'
import { ClewlineError, createQueue, type Queue } from '@clewline/core'
import type { Backend, BackendEvent, BackendRequest } from '../backend.ts'
import { hideTextTools } from './hide-text-tools.ts'
import type { WorkerEvent } from './protocol.ts'
import { createSupervisor, WorkerError, type LiveWorker, type SupervisorTimings } from './supervisor.ts'

export interface PythonAgentConfig {
  /** `module:function`; the function takes a thread id (or nothing) and returns a ChatAgent or a Task. */
  readonly app: string
  readonly name?: string
  readonly description?: string
  /** Default `python3`: give the one of the virtual environment where Langroid is installed. */
  readonly python?: string
  /** Where `app` is imported from. */
  readonly cwd?: string
  /** Added to the worker's environment, which is an allow-list: no secret gets there by accident. */
  readonly env?: Readonly<Record<string, string>>
  /** Names of variables to hand on from this process, such as `OPENAI_API_KEY`. */
  readonly passEnv?: readonly string[]
  /** Called with what the worker and its handlers print, tracebacks included. Default: this process's stderr; never clients. */
  readonly onStderr?: (text: string) => void
  /** True when the app's model is scripted; readers show it. */
  readonly scripted?: boolean
  readonly timings?: Partial<SupervisorTimings>
  /** Another program that speaks the worker protocol. */
  readonly command?: { readonly command: string; readonly args: readonly string[] }
}

/** A backend that is a process. */
export interface PythonAgent extends Backend {
  /** Of the worker, while there is one. */
  readonly pid: number | undefined
}

const WORKER = fileURLToPath(new URL('../../python/clewline_worker', import.meta.url))
const PASSED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'TEMP', 'SYSTEMROOT', 'VIRTUAL_ENV']
const NETWORK = [
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'TIKTOKEN_CACHE_DIR',
]
const CANCEL_GRACE = 2000
/** Events of a run that may wait for their reader before the worker's output does. */
const ROOM = 1000

/** A real Langroid agent in a Python worker. Needs Python 3.10 to 3.13 with `langroid` installed. */
export function PythonAgent(config: PythonAgentConfig): PythonAgent {
  checkApp(config.app)
  const name = config.name ?? config.app.split(':')[0] ?? 'langroid'
  const onStderr = config.onStderr ?? toStderr(name)
  const runs = new Map<
    string,
    { queue: Queue<BackendEvent>; translate: (event: WorkerEvent) => readonly BackendEvent[] }
  >()
  let live: LiveWorker | undefined
  const supervisor = createSupervisor({
    command: {
      command: config.command?.command ?? config.python ?? 'python3',
      args: config.command?.args ?? ['-u', WORKER, '--app', config.app],
      ...(config.cwd !== undefined && { cwd: config.cwd }),
      env: environment(config),
      onStderr,
    },
    // An event of a run that is over (cancelled, or left by its reader) has no entry here, and is dropped.
    onEvent: ({ run, event }) => {
      const entry = runs.get(run)
      if (entry === undefined) return
      for (const one of entry.translate(event)) {
        const room = entry.queue.push(one)
        if (room !== undefined && live !== undefined) holdBack(live, room)
      }
      if (event.ev === 'done' || event.ev === 'question' || event.ev === 'error') finish(run)
    },
    ...(config.timings !== undefined && { timings: config.timings }),
  })

  function finish(run: string, last?: BackendEvent): void {
    const entry = runs.get(run)
    if (entry === undefined) return
    runs.delete(run)
    if (last !== undefined) void entry.queue.push(last)
    entry.queue.close()
  }

  async function drive(request: BackendRequest, isOver: () => boolean): Promise<void> {
    const { signal, ...rest } = request
    try {
      const worker = await untilAborted(supervisor.worker(), signal)
      live = worker
      void worker.gone.then(({ reason }) => {
        if (live === worker) live = undefined
        if (runs.has(request.run)) finish(request.run, failure(reason))
      })
      if (isOver()) return
      signal.addEventListener('abort', () => cancel(worker, request.run), { once: true })
      await worker.request({ op: 'run', ...rest })
      if (signal.aborted) cancel(worker, request.run)
    } catch (error) {
      if (signal.aborted) finish(request.run, { ev: 'done', reason: 'cancelled', pending: [] })
      else finish(request.run, failure(error instanceof Error ? error.message : String(error)))
    }
  }

  /** Clients see it without the server's paths; its operator sees it whole. */
  function failure(message: string): BackendEvent {
    onStderr(`${message}\n`)
    return { ev: 'error', code: 'WORKER', type: WorkerError.name, message }
  }

  function cancel(worker: LiveWorker, run: string): void {
    if (!runs.has(run)) return
    worker.request({ op: 'cancel', run }).catch(() => {})
    setTimeout(() => finish(run, { ev: 'done', reason: 'cancelled', pending: [] }), CANCEL_GRACE).unref()
  }

  return {
    name,
    ...(config.description !== undefined && { description: config.description }),
    ...(config.scripted !== undefined && { scripted: config.scripted }),
    get pid() {
      return supervisor.pid
    },
    run(request) {
      const stop = new AbortController()
      const scoped = { ...request, signal: AbortSignal.any([request.signal, stop.signal]) }
      const queue = createQueue<BackendEvent>(ROOM, { onClose: () => stop.abort() })
      runs.set(request.run, { queue, translate: hideTextTools() })
      void drive(scoped, () => queue.isClosed)
      return queue
    },
    evict(thread) {
      live?.request({ op: 'evict', thread }).catch(() => {})
    },
    async close() {
      await supervisor.stop()
    },
  }
}

/** Backpressure: the worker's pipe fills, and the worker waits. */
function holdBack(worker: LiveWorker, room: Promise<void>): void {
  worker.pause()
  void room.then(() => worker.resume())
}

function environment(config: PythonAgentConfig): Record<string, string> {
  const names = [
    ...PASSED,
    ...NETWORK,
    ...NETWORK.map((name) => name.toLowerCase()),
    ...(config.passEnv ?? []),
  ]
  const passed = names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(passed), PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8', ...config.env }
}

function checkApp(app: string): void {
  const [module = '', build = ''] = app.split(':')
  if (!/[\\/]|\.py$/.test(module)) return
  const name = module.replace(/\.py$/, '').split(/[\\/]/).at(-1)
  const folder = module.replace(/[\\/]?[^\\/]*$/, '') || '.'
  throw new ClewlineError(
    'bad-config',
    `"${app}" is a file, and \`app\` is a Python module and a function in it.`,
    {
      hint: `Write app: '${name}:${build || 'build'}', with cwd: '${folder}', from where Python imports it.`,
    },
  )
}

/** Each line of the worker in the server's log says whose it is. */
function toStderr(name: string): (text: string) => void {
  let held = ''
  return (text) => {
    const lines = (held + text).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) process.stderr.write(`[${name}] ${line}\n`)
  }
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(new WorkerError('cancelled'))
    signal.addEventListener('abort', abort, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
