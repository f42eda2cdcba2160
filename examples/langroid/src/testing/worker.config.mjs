// For `clewline start` in the suites: real Langroid in workers, with apps whose model calls are noted in the file CALLS.
import { fileURLToPath } from 'node:url'
import { LangroidAgent, PythonAgent } from '@clewline/langroid'

const packageRoot = fileURLToPath(new URL('../../../../packages/langroid', import.meta.url))
const python = process.env['LANGROID_PYTHON'] ?? `${packageRoot}/.venv/bin/python`

function agent(name, app) {
  const worker = PythonAgent({
    name,
    app,
    python,
    cwd: `${packageRoot}/src/testing`,
    passEnv: ['CALLS'],
    // The suites kill it more often than a supervisor forgives.
    timings: { maxDeaths: 100, backOffMs: 10, maxBackOffMs: 10 },
  })
  return LangroidAgent(worker, { maxTurns: 20 })
}

export default {
  agents: {
    sums: agent('sums', 'durable_app:build'),
    painter: agent('painter', 'durable_app:build_asking'),
    librarian: agent('librarian', 'doc_chat_app:build'),
  },
}
