import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Envelope } from '@clewline/core'
import { afterAll, afterEach, beforeAll } from 'vitest'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))

/** The config of an agent that says things back. */
export const config = fileURLToPath(new URL('clewline.config.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Shell {
  /** A folder of its own, gone after the tests. */
  readonly folder: () => string
  /** Starts `clewline ARGS`; what is still alive after a test is killed. */
  readonly start: (args: readonly string[]) => ChildProcessWithoutNullStreams
  /** Runs it to its end. */
  readonly clewline: (args: readonly string[], input?: string) => Promise<Ended>
}

/** The command line as it is shipped: built, in processes of its own. Call it at the top of a test file. */
export function useShell(): Shell {
  const children = new Set<ChildProcessWithoutNullStreams>()
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clewline-cli-'))
    // `npm test` has built it; this is for a file that is run alone. What is wrong with types is for the build to tell.
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    await once(
      spawn(process.execPath, [tsc, '-b', 'packages/server'], { cwd: root, stdio: 'ignore' }),
      'exit',
    )
  }, 120_000)
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    children.clear()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  function start(args: readonly string[]): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [join(root, 'packages/server/dist/cli/main.js'), ...args], {
      cwd: folder,
    })
    children.add(child)
    return child
  }

  return { folder: () => folder, start, clewline: (args, input) => ended(start(args), input) }
}

export async function ended(child: ChildProcessWithoutNullStreams, input = ''): Promise<Ended> {
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin.end(input)
  const [code]: unknown[] = await once(child, 'close')
  return { code: typeof code === 'number' ? code : null, out, err }
}

/** The values of JSON lines. */
export const lines = <T = Envelope>(out: string): T[] =>
  out
    .trim()
    .split('\n')
    .map((line): T => JSON.parse(line))
