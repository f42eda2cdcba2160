// A LangGraph API server on a free port, without reload or disk: prints its URL, and ends with its parent.
import { startServer } from '@langchain/langgraph-api/server'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))
const names = ['chat', 'tools', 'pair', 'parallel', 'nested', 'fanout', 'asks', 'fails', 'plain']
const cwd = await mkdtemp(join(tmpdir(), 'clewline-langgraph-'))
process.chdir(cwd)
process.once('exit', () => rmSync(cwd, { recursive: true, force: true }))
const { host } = await startServer({
  port: Number(process.env.PORT ?? 0),
  host: '127.0.0.1',
  nWorkers: 10,
  cwd,
  graphs: Object.fromEntries(names.map((name) => [name, `${beside('graphs.mjs')}:${name}`])),
})
process.stdout.write(`listening ${host}\n`)
process.stdin
  .resume()
  .on('end', () => process.exit(0))
  .on('close', () => process.exit(0))
