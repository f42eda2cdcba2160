// Makes virtual environments with real Langroid beside the package and runs the tests that need it: all of them with the
// newest version that is known to work, and those of the worker with the oldest one that it accepts.
// Where Python or Langroid cannot be had, the tests say so and are skipped: that is not a failure.
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The oldest is OLDEST_LANGROID of python/clewline_worker/langroid_compat.py. */
const NEWEST = { langroid: 'langroid==0.69.16', folder: '.venv' }
const OLDEST = { langroid: 'langroid==0.65.16', folder: '.venv-oldest' }
// The local vector store of the DocChatAgent. Later ones have lost a field that Langroid reads.
const QDRANT = 'qdrant-client==1.15.1'
const here = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))

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

function prepare({ langroid, folder }) {
  const venv = `${here}${folder}`
  const inVenv = `${venv}/bin/python`
  const program =
    'import importlib.metadata as m; print(" ".join(n + "==" + m.version(n) for n in ["langroid", "qdrant-client"]))'
  if (versionOf(inVenv, program) === `${langroid} ${QDRANT}`) return inVenv
  const candidates = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10']
  const python = candidates.find((name) =>
    /^3\.1[0-3]$/.test(versionOf(name, 'import sys; print("%d.%d" % sys.version_info[:2])') ?? ''),
  )
  if (python === undefined) {
    console.error('No Python 3.10 to 3.13 here.')
    return null
  }
  console.error(`Installing ${langroid} into ${venv} (about 160 MB, two minutes) …`)
  const steps = [
    [python, ['-m', 'venv', venv]],
    [inVenv, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', langroid, QDRANT]],
  ]
  const isDone = steps.every(([command, args]) => spawnSync(command, args, { stdio: 'inherit' }).status === 0)
  return isDone ? inVenv : null
}

function test(version, ...paths) {
  const python = prepare(version)
  if (python === null) console.error(`${version.langroid} cannot be had here: its tests will be skipped.`)
  const env = { ...process.env, LANGROID_PYTHON: python ?? `${here}${version.folder}/bin/python` }
  const args = ['vitest', 'run', '--project', 'heavy', ...paths]
  return spawnSync('npx', args, { cwd: root, stdio: 'inherit', env }).status ?? 1
}

const newest = test(NEWEST, 'packages/langroid', 'examples/langroid')
const oldest = test(OLDEST, 'packages/langroid/src/python')
process.exitCode = newest || oldest
