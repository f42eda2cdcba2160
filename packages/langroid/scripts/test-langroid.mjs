// Makes a virtual environment with real Langroid beside the package and runs the tests that need it.
// Where Python or Langroid cannot be had, the tests say so and are skipped: that is not a failure.
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const LANGROID = 'langroid==0.65.16'
const here = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
const venv = `${here}.venv`
const inVenv = `${venv}/bin/python`

const versionOf = (python, program) => {
  try {
    return execFileSync(python, ['-c', program], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}

function prepare() {
  const installed = versionOf(
    inVenv,
    'import importlib.metadata as m; print("langroid==" + m.version("langroid"))',
  )
  if (installed === LANGROID) return true
  const candidates = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10']
  const python = candidates.find((name) =>
    /^3\.1[0-3]$/.test(versionOf(name, 'import sys; print("%d.%d" % sys.version_info[:2])') ?? ''),
  )
  if (python === undefined) {
    console.error('No Python 3.10 to 3.13 here.')
    return false
  }
  console.error(`Installing ${LANGROID} into ${venv} (about 160 MB, two minutes) …`)
  const steps = [
    [python, ['-m', 'venv', venv]],
    [inVenv, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', LANGROID]],
  ]
  return steps.every(([command, args]) => spawnSync(command, args, { stdio: 'inherit' }).status === 0)
}

if (!prepare()) console.error('Real Langroid cannot be had here: its tests will be skipped.')
const args = ['vitest', 'run', '--project', 'heavy', 'packages/langroid', 'examples/langroid']
process.exitCode = spawnSync('npx', args, { cwd: root, stdio: 'inherit' }).status ?? 1
