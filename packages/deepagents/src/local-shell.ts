import { spawn } from 'node:child_process'
import type { Sandbox } from './sandbox.ts'

export interface LocalShellOptions {
  /** Where commands start. They can leave it. */
  readonly directory: string
  /** Milliseconds after which a command is killed. Default two minutes. */
  readonly timeout?: number
  /** Characters of output that are kept, the last ones. Default 200,000. */
  readonly maxOutput?: number
  /** Environment variables beside PATH, HOME and LANG: keys of this process are not passed on. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * NOT a sandbox: commands run on this machine, as the user of this process, and can do whatever that user can: read keys,
 * delete files, use the network. For a machine that may be thrown away, and together with `interruptOn: { execute: true }`.
 */
export function localShell(options: LocalShellOptions): Sandbox {
  const { directory, timeout = 120_000, maxOutput = 200_000, env = {} } = options
  const { PATH = '', HOME = '', LANG = '' } = process.env
  return {
    description: `the shell of this machine, with no sandbox around it, starting in ${directory}`,
    execute: (command, { signal }) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        // A process group of its own: what the command has started is killed with it.
        const shell = spawn('/bin/sh', ['-c', command], {
          cwd: directory,
          detached: true,
          env: { PATH, HOME, LANG, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        let output = ''
        const keep = (text: string): void => {
          output = (output + text).slice(-maxOutput)
        }
        shell.stdout.setEncoding('utf8').on('data', keep)
        shell.stderr.setEncoding('utf8').on('data', keep)
        const kill = (): void => {
          if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
        }
        const timer = setTimeout(kill, timeout)
        signal?.addEventListener('abort', kill, { once: true })
        const end = (): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', kill)
        }
        shell.once('error', (error) => {
          end()
          reject(error)
        })
        shell.once('close', (exitCode) => {
          end()
          if (signal?.aborted === true) reject(signal.reason)
          // The first character may be the second half of one.
          else resolve({ output: output.replace(/^[\udc00-\udfff]/, ''), exitCode })
        })
      }),
  }
}
