import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../store/sqlite/database.ts'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import { config, useShell } from './testing/shell.ts'

const { folder, clewline } = useShell()

test('a damaged store ends the start with a sentence, what to do and exit code 1, and is left as it is', async () => {
  const store = join(folder(), 'damaged')
  const file = join(store, 'clewline.db')
  await sqliteStore(store).close()
  const database = openDatabase(file)
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  const { rootpage } = database
    .statement<{ rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = 'runs'")
    .get()!
  database.close()
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (rootpage - 1) * 4096)
  closeSync(handle)
  const before = readFileSync(file)
  const { code, err } = await clewline(['start', '--port', '0', '--config', config, '--store', store])
  expect(code).toBe(1)
  expect(err).toMatch(/^clewline: The store in .*damaged cannot be opened: it is damaged/)
  expect(err).toContain('Nothing was changed. Restore a backup of the directory')
  expect(err).not.toContain(' at ')
  expect(readFileSync(file).equals(before)).toBe(true)
})

// The permissions of a file do not bind root.
test.skipIf(process.getuid?.() === 0)('a store directory that may not be written is a sentence', async () => {
  const store = join(folder(), 'read-only')
  mkdirSync(store)
  chmodSync(store, 0o555)
  const { code, err } = await clewline(['start', '--port', '0', '--config', config, '--store', store])
  expect(code).toBe(1)
  expect(err).toContain('cannot be opened: EACCES: permission denied')
  expect(err.trim().split('\n')).toHaveLength(2)
})

test('vacuum says what it has given back', async () => {
  const store = join(folder(), 'vacuumed')
  await sqliteStore(store).close()
  const { code, out } = await clewline(['vacuum', '--store', store])
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/: \d+\.\d MB before, \d+\.\d MB now\.\n$/),
  })
})
