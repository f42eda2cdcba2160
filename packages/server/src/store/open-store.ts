import { SkeinError } from '@skein/core'
import { sqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** A store by its name: a directory, or `:memory:`. */
export async function openStore(name: string): Promise<Store> {
  if (/^[a-z]+:\/\//.test(name)) {
    throw new SkeinError('bad-config', `No store for "${name.split(':', 1)[0]}://…".`, {
      hint: 'Name a directory, or :memory:.',
    })
  }
  return sqliteStore(name)
}
