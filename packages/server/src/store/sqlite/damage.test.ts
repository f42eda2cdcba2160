import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { threadRow } from '../../testing/store-under-test.ts'
import { openDatabase } from './database.ts'
import { findDamage } from './find-damage.ts'
import { sqliteStore } from './sqlite-store.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'clewline-damage-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** A store with some hundred pages of log and threads. */
async function filled(): Promise<string> {
  const at = folder()
  const store = sqliteStore(at)
  for (let i = 0; i < 200; i++) await store.threads.insert(threadRow(`thread-${i}`))
  const bytes = Buffer.alloc(20_000, 'x')
  for (let i = 1; i <= 40; i++)
    await store.segments.append([{ thread_id: 'thread-1', first: i, last: i, bytes }])
  await store.close()
  return at
}

/** Writes noise over a page, as a failing disk does. */
function spoil(file: string, page: number): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096)
  closeSync(handle)
}

/** The first page of a table, with the write-ahead log moved into the file: a page in the log would hide one that is spoilt. */
function rootOf(file: string, table: string): number {
  const database = openDatabase(file)
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  const row = database
    .statement<{ rootpage: number }>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .get(table)
  database.close()
  return row?.rootpage ?? 0
}

test('a store with a damaged page is not opened, says so with what to do, and is left as it is', async () => {
  const at = await filled()
  const file = join(at, 'clewline.db')
  spoil(file, rootOf(file, 'threads'))
  const before = readFileSync(file)
  expect(() => sqliteStore(at)).toThrow(
    expect.objectContaining({
      code: 'unavailable',
      message: expect.stringMatching(/cannot be opened: it is damaged/),
      hint: expect.stringContaining('Nothing was changed. Restore a backup'),
    }),
  )
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('what a killed process left in the write-ahead log of a damaged store stays there', async () => {
  const at = await filled()
  const file = join(at, 'clewline.db')
  const root = rootOf(file, 'runs')
  const store = sqliteStore(at)
  await store.threads.insert(threadRow('late'))
  const copy = folder()
  for (const name of ['clewline.db', 'clewline.db-wal']) copyFileSync(join(at, name), join(copy, name))
  await store.close()
  spoil(join(copy, 'clewline.db'), root)
  const before = ['clewline.db', 'clewline.db-wal'].map((name) => readFileSync(join(copy, name)))
  expect(() => sqliteStore(copy)).toThrow('it is damaged')
  const after = ['clewline.db', 'clewline.db-wal'].map((name) => readFileSync(join(copy, name)))
  expect(after.map((bytes, i) => bytes.equals(before[i]!))).toEqual([true, true])
})

test('of a huge file only the tables without which nothing works are checked', async () => {
  const at = await filled()
  const file = join(at, 'clewline.db')
  spoil(file, rootOf(file, 'segments'))
  expect(findDamage(file, statSync(file).size)).toMatch(/./)
  expect(findDamage(file, 1)).toBeNull()
  spoil(file, rootOf(file, 'threads'))
  expect(findDamage(file, 1)).toMatch(/./)
})

test('a file that is not there, or is empty, is a new store', () => {
  expect(findDamage(join(folder(), 'clewline.db'))).toBeNull()
  expect(existsSync(join(folder(), 'clewline.db'))).toBe(false)
})
