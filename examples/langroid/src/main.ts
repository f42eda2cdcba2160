import { parseArgs } from 'node:util'
import { startExampleServer } from './example-server.ts'

const { values } = parseArgs({
  options: {
    python: { type: 'boolean', default: false },
    'python-path': { type: 'string' },
    model: { type: 'string' },
    'base-url': { type: 'string' },
  },
})
const { HOST, PORT, OPENAI_API_KEY, LANGROID_PYTHON } = process.env
const pythonPath = values['python-path'] ?? LANGROID_PYTHON
const server = await startExampleServer({
  host: HOST ?? '127.0.0.1',
  port: Number(PORT ?? 8018),
  backend: values.python ? 'python' : 'native',
  ...(values.model === undefined ? {} : { model: values.model }),
  ...(values['base-url'] === undefined ? {} : { baseUrl: values['base-url'] }),
  ...(OPENAI_API_KEY === undefined ? {} : { apiKey: OPENAI_API_KEY }),
  ...(pythonPath === undefined ? {} : { python: pythonPath }),
})
const kind = values.python ? 'Python' : 'native'
const model = values.model ?? 'a scripted model that needs no network'
process.stdout.write(`Langroid examples (${kind} agents, ${model}): ${server.url}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
