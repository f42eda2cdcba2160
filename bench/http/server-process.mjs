import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own, which tells its CPU time and memory when asked. */
export async function startServer(file, ...args) {
  const script = fileURLToPath(new URL(file, import.meta.url))
  const child = fork(script, args.map(String), {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      ...process.env,
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
      LOG_LEVEL: 'error',
      COPILOTKIT_TELEMETRY_DISABLED: 'true',
    },
  })
  let said = ''
  child.stderr.on('data', (text) => (said = `${said}${text}`.slice(-2_000)))
  const first = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)])
  if (first === null) throw new Error(`${file} did not start: ${said}`)
  const ask = async (what) => {
    child.send(what)
    const [answer] = await once(child, 'message')
    return answer
  }
  return {
    url: first[0].url,
    /** Microseconds of CPU so far. */
    cpu: async () => {
      const { cpu } = await ask('usage')
      return cpu.user + cpu.system
    },
    /** Bytes, after a collection. */
    memory: async () => (await ask('gc')).memory.rss,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
