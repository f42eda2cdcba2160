import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '@langchain/langgraph-api/server'

const cwd = mkdtempSync(join(tmpdir(), 'langgraph-bench-'))
const graphs = { bench: `${fileURLToPath(new URL('./graph.mjs', import.meta.url))}:graph` }
const { host } = await startServer({
  port: Number(process.argv[2]),
  nWorkers: 10,
  host: '127.0.0.1',
  cwd,
  graphs,
})
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }))
process.on('SIGTERM', () => process.exit(0))
process.on('message', (message) => {
  if (message === 'gc') globalThis.gc?.()
  process.send({ cpu: process.cpuUsage(), memory: process.memoryUsage() })
})
process.send({ url: `http://${host}` })
