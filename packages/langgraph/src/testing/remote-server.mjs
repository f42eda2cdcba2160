// Starts the real LangGraph API server for tests and prints where it listens.
import { startServer } from '@langchain/langgraph-api/server'
import { fileURLToPath } from 'node:url'

const graph = `${fileURLToPath(new URL('./remote-graph.mjs', import.meta.url))}:graph`
const { host } = await startServer({
  port: Number(process.argv[2]),
  nWorkers: 4,
  host: '127.0.0.1',
  cwd: process.cwd(),
  graphs: { chat: graph },
})
process.stdout.write(`listening ${host}\n`)
