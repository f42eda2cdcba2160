import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const PACKAGE = 'schemathesis==4.32.5'
const venv = fileURLToPath(new URL('../../.venv', import.meta.url))
const python = join(venv, 'bin/python')
const hooks = fileURLToPath(new URL('.', import.meta.url))

/** Whether Schemathesis is there, installed into a virtual environment of the package if need be. Needs Python and PyPI. */
export function hasSchemathesis(): boolean {
  const version = 'import importlib.metadata as m; print("schemathesis==" + m.version("schemathesis"))'
  const isInstalled = (): boolean =>
    // Null when there is no such program.
    spawnSync(python, ['-c', version], { encoding: 'utf8' }).stdout?.trim() === PACKAGE
  if (isInstalled()) return true
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--timeout',
    '10',
    PACKAGE,
  ]
  const isMade = spawnSync('python3', ['-m', 'venv', venv]).status === 0
  return (
    isMade && spawnSync(python, install, { stdio: 'inherit', timeout: 300_000 }).status === 0 && isInstalled()
  )
}

export interface SchemathesisPass {
  readonly url: string
  readonly token: string
  readonly seed: number
  /** `coverage` goes through the edges of each parameter, `fuzzing` draws values, `stateful` makes sequences of requests. */
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[]
  /** Generated requests to each operation, and sequences, at most. */
  readonly examples: number
}

export interface SchemathesisReport {
  readonly requests: number
  /** Answers of 500 and above, as `status operation`. */
  readonly serverErrors: readonly string[]
  /** What else the checks found, as it was printed. Empty when nothing was. */
  readonly failures: string
}

/**
 * One pass of Schemathesis over the published document: examples, edges, generated values and sequences of requests, with
 * all its checks but one. A request that fits the schema may be refused (`positive_data_acceptance`): what a cursor is, or
 * whether a thread has a state to fork, is not for a schema to say.
 */
export async function runSchemathesis(pass: SchemathesisPass): Promise<SchemathesisReport> {
  const { url, token, seed, phases, examples } = pass
  const folder = mkdtempSync(join(tmpdir(), 'clewline-schemathesis-'))
  const events = join(folder, 'events.ndjson')
  const options = {
    header: `Authorization: Bearer ${token}`,
    seed: String(seed),
    phases: phases.join(','),
    'max-examples': String(examples),
    checks: 'all',
    'exclude-checks': 'positive_data_acceptance',
    // It streams for ever, on purpose.
    'exclude-path': '/api/events',
    'request-timeout': '20',
    'suppress-health-check': 'all',
    'generation-database': 'none',
    warnings: 'off',
    'report-ndjson-path': events,
  }
  const args = [
    '-m',
    'schemathesis.cli',
    'run',
    `${url}/openapi.json`,
    '--no-color',
    '--no-shrink',
    '--continue-on-failure',
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  ]
  const env = { ...process.env, SCHEMATHESIS_HOOKS: 'schemathesis_hooks', PYTHONPATH: hooks }
  const child = spawn(python, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  // The server under test and its health check go first, also on two cores.
  if (child.pid !== undefined) setPriority(child.pid, 10)
  try {
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
    const { requests, serverErrors } = await readReport(events)
    if (requests === 0) throw new Error(`Schemathesis has asked nothing: ${printed}`)
    return { requests, serverErrors, failures: child.exitCode === 0 ? '' : failuresIn(printed) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface ReportedScenario {
  readonly recorder?: {
    readonly label: string
    readonly interactions?: Readonly<
      Record<string, { readonly response?: { readonly status_code: number } | null }>
    >
  }
}

async function readReport(file: string): Promise<Pick<SchemathesisReport, 'requests' | 'serverErrors'>> {
  const serverErrors: string[] = []
  let requests = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as { ScenarioFinished?: ReportedScenario }
    const { label = '', interactions = {} } = scenario?.recorder ?? {}
    for (const { response } of Object.values(interactions)) {
      requests += 1
      if (response && response.status_code >= 500) serverErrors.push(`${response.status_code} ${label}`)
    }
  }
  return { requests, serverErrors }
}

function failuresIn(printed: string): string {
  const from = printed.search(/^=+ (ERRORS|FAILURES) =+$/m)
  return from < 0 ? printed : printed.slice(from)
}
