import { ClewlineError } from '@clewline/core'
import { postgresStore } from './postgres/postgres-store.ts'
import { type SqliteOptions, sqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/** A store by its name: a directory, `:memory:`, or a `postgres://` URL. */
export async function openStore(name: string, options: SqliteOptions = {}): Promise<Store> {
  if (/^postgres(ql)?:\/\//.test(name)) return postgresStore(name)
  if (name === '') {
    throw new ClewlineError('bad-config', 'The store has no name.', {
      hint: 'Name a directory, :memory:, or a postgres:// URL; without --store it is .clewline.',
    })
  }
  if (/^[a-z]+:\/\//.test(name)) {
    throw new ClewlineError('bad-config', `No store for "${name.split(':', 1)[0]}://…".`, {
      hint: 'Name a directory, :memory:, or a postgres:// URL.',
    })
  }
  return sqliteStore(name, options)
}
