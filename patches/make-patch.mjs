// Makes patches/@ag-ui__langgraph@VERSION.patch out of packages/connect: its patch/index.ts and what that imports.
// Deterministic. `node patches/make-patch.mjs` writes it; `--check` fails when the patch is not what its sources make.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NAME = '@ag-ui/langgraph'
const VERSION = '0.0.43'
const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const target = join(here, `${NAME.replace('/', '__')}@${VERSION}.patch`)
const project = join(root, 'packages', 'connect', 'patch')
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

function fail(message) {
  process.stderr.write(`make-patch: ${message}\n`)
  process.exit(1)
}

/** The package as it was published; the lockfile says which bytes those are. */
function pristine(into) {
  const packed = execFileSync(
    'npm',
    ['pack', `${NAME}@${VERSION}`, '--json', '--prefer-offline', '--pack-destination', into],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const [{ filename, integrity }] = JSON.parse(packed)
  if (!readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').includes(integrity))
    fail(`the registry's ${NAME}@${VERSION} is not the one in pnpm-lock.yaml (${integrity}).`)
  execFileSync('tar', ['xzf', join(into, filename), '-C', into])
  return join(into, 'package')
}

/** The patch assumes these facts about upstream; when one no longer holds, it must be reviewed. */
function check(dir) {
  const read = (file) => readFileSync(join(dir, file), 'utf8')
  const facts = [
    ['package.json', /"sideEffects": false/, 'bundlers may drop modules'],
    ['dist/index.mjs', /export\{[^}]*\b\w+ as LangGraphAgent\b/, 'the ES module exports LangGraphAgent'],
    ['dist/index.js', /exports\.LangGraphAgent=/, 'the CommonJS module exports LangGraphAgent'],
    ['dist/index.mjs', /async handleStreamEvents\(/, 'handleStreamEvents is there'],
    ['dist/index.mjs', /dispatchInterruptFinish\(/, 'dispatchInterruptFinish has kept its name'],
    ['dist/index.mjs', /getStateAndMessagesSnapshots\(/, 'getStateAndMessagesSnapshots has kept its name'],
    ['dist/index.mjs', /this\.messagesInProcess\[/, 'messagesInProcess holds the message in progress'],
    ['dist/index.mjs', /this\.pendingReasoningId=/, 'pendingReasoningId has kept its name'],
    ['dist/index.mjs', /activeRun\.currentTextMessageId=/, 'currentTextMessageId is kept on the run'],
  ]
  for (const [file, pattern, meaning] of facts)
    if (!pattern.test(read(file))) fail(`${file} has changed; the patch assumes that ${meaning}.`)
  if (/\bconnect\(/.test(read('dist/index.d.ts')))
    fail('upstream has a connect() of its own now: the patch may no longer be needed.')
}

/** Compiles the sources to one folder per module system, all files side by side. */
function compile(dir, kind, options, entry) {
  const out = mkdtempSync(join(work, 'tsc-'))
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', out, ...options], { stdio: 'inherit' })
  const folder = join(dir, 'dist', 'connect', kind)
  mkdirSync(folder, { recursive: true })
  for (const file of filesIn(out)) {
    const text = readFileSync(file, 'utf8')
      .replaceAll(/(['"])\.{1,2}\/(?:[^'"]*\/)?([^/'"]+\.js)\1/g, '$1./$2$1')
      .replaceAll(`'${NAME}'`, `'${entry}'`)
      .replaceAll(`"${NAME}"`, `"${entry}"`)
    const at = join(folder, basename(file))
    if (existsSync(at)) fail(`two source files are named ${basename(file)}.`)
    writeFileSync(at, text)
  }
  const type = kind === 'esm' ? 'module' : 'commonjs'
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type, sideEffects: false }, null, 2)}\n`)
  writeFileSync(join(folder, 'index.d.ts'), declaration(entry))
}

function declaration(entry) {
  return `import type { BaseEvent, RunAgentInput } from "@ag-ui/client";
import type { Observable } from "rxjs";
import { LangGraphAgent as Upstream } from "${entry}";
export * from "${entry}";
export declare class LangGraphAgent extends Upstream {
  /** Cursor: the last event of a run's stream that this agent has processed. Sent as \`forwardedProps.lastEventId\`, it resumes there. */
  lastEventId?: string;
  /**
   * Shows a thread to a client that may know nothing but its id: a snapshot of what it holds, then its active run, to the
   * end of that run. Every failure is a RUN_ERROR; the observable itself never errors. Unsubscribing aborts every request.
   */
  connect(input: RunAgentInput): Observable<BaseEvent>;
}
`
}

/** Points the package at the new files: the only lines of it that change. */
function reach(dir) {
  const file = join(dir, 'package.json')
  let text = readFileSync(file, 'utf8')
  const lines = [
    ['"main": "./dist/index.js"', '"main": "./dist/connect/cjs/index.js"'],
    ['"module": "./dist/index.mjs"', '"module": "./dist/connect/esm/index.js"'],
    ['"types": "./dist/index.d.ts"', '"types": "./dist/connect/cjs/index.d.ts"'],
    ['"require": "./dist/index.js"', '"require": "./dist/connect/cjs/index.js"'],
    ['"import": "./dist/index.mjs"', '"import": "./dist/connect/esm/index.js"'],
  ]
  for (const [from, to] of lines) {
    if (text.split(from).length !== 2) fail(`package.json has changed: ${from} is not there once.`)
    text = text.replace(from, to)
  }
  writeFileSync(file, text)
}

function filesIn(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

function diff(work) {
  try {
    execFileSync('git', ['diff', '--no-index', '--full-index', '--no-color', '--no-renames', 'a', 'b'], {
      cwd: work,
    })
  } catch (error) {
    if (error.status === 1)
      return String(error.stdout).replaceAll(/(^diff --git |^--- |^\+\+\+ | )([ab])\/[ab]\//gm, '$1$2/')
    throw error
  }
  return fail('nothing differs.')
}

const work = mkdtempSync(join(tmpdir(), 'clewline-patch-'))
// Not `finally`: `fail` exits the process.
process.once('exit', () => rmSync(work, { recursive: true, force: true }))

const source = pristine(work)
check(source)
cpSync(source, join(work, 'a'), { recursive: true })
cpSync(source, join(work, 'b'), { recursive: true })
const edited = join(work, 'b')
compile(edited, 'esm', [], '../../index.mjs')
// Checked above; as CommonJS the SDK's types come from another file, and TypeScript takes them for others.
compile(
  edited,
  'cjs',
  ['--noCheck', '--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
  '../../index.js',
)
reach(edited)
const made = join(work, 'made.patch')
writeFileSync(made, diff(work))
const isSame = existsSync(target) && readFileSync(target).equals(readFileSync(made))
if (process.argv.includes('--check')) {
  if (!isSame)
    fail(
      `${basename(target)} is not what its sources make. Run: node patches/make-patch.mjs && npm run setup`,
    )
} else copyFileSync(made, target)
process.stdout.write(`${basename(target)}: ${isSame ? 'up to date' : 'written'}\n`)
