import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PythonAgent, type PythonAgentConfig } from '../python/python-agent.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The Python that has Langroid: that of the environment which `npm run test:langroid` makes, or one that is given. */
export const python = process.env['LANGROID_PYTHON'] ?? `${root}.venv/bin/python`
/** Where `scenario_app.py` is imported from. */
export const appRoot = `${root}src/testing`
/** Holds the worker's package. */
export const workerRoot = `${root}python`

/** Why the tests that need it cannot run; null when they can. */
export const whyNoLangroid = whyNot()
/** For the title of what is skipped. */
export const skipped = whyNoLangroid === null ? '' : ` (skipped: ${whyNoLangroid})`
// A silent skip is a hole in the suite: say why.
if (whyNoLangroid !== null) process.stderr.write(`\nSKIPPED real Langroid tests: ${whyNoLangroid}\n`)

/** An agent of `scenario_app.py`, in a worker of its own. */
export function realAgent(app: string, config: Partial<PythonAgentConfig> = {}): PythonAgent {
  return PythonAgent({ app, name: 'scenario', python, cwd: appRoot, ...config })
}

function whyNot(): string | null {
  if (!existsSync(python)) return `there is no ${python}: run "npm run test:langroid", which makes it`
  try {
    // Importing it would download tiktoken's tables, which the worker knows how to live without.
    execFileSync(python, ['-c', 'import importlib.metadata as m; m.version("langroid")'], { stdio: 'pipe' })
    return null
  } catch (error) {
    return `langroid is not installed: ${String(error).slice(0, 300)}`
  }
}
