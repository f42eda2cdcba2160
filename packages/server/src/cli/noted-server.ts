import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/define-config.ts'
import type { Given } from './command.ts'
import type { Io } from './io.ts'
import { DEFAULT_URL, urlOf } from './shared-options.ts'

/** A file in the store: where the process that has it listens, so that other commands can ask that one. */
const NAME = 'url'

/** Notes where the server of a store listens. Returns how to forget it. */
export async function noteServer(store: Config['store'], url: string): Promise<() => Promise<void>> {
  const file = fileOf(store)
  if (file === undefined) return async () => {}
  // Only a convenience: a disk that is full must not keep a server from serving.
  await writeFile(file, `${url}\n`).catch(() => {})
  return () => rm(file, { force: true })
}

/** Where the server of a store listens, or did when it was killed. */
export async function notedServer(store: Config['store']): Promise<string | undefined> {
  const file = fileOf(store)
  const text = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined)
  return text?.trim()
}

/** The server that a command asks by default: the one that has the store of this directory, or the usual one. */
export async function serverOf(given: Given, io: Io): Promise<string> {
  return urlOf(given, io) ?? (await notedServer(join(io.cwd, '.clewline'))) ?? DEFAULT_URL
}

/** Only a store in a directory belongs to one process. */
function fileOf(store: Config['store'] = '.clewline'): string | undefined {
  const isFolder = typeof store === 'string' && store !== ':memory:' && !store.includes('://')
  return isFolder ? join(store, NAME) : undefined
}
