import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { threadRow } from '../../testing/store-under-test.ts'
import type { Store } from '../store.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { sqliteStore } from './sqlite-store.ts'
import { vacuumStore } from './vacuum-store.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'clewline-pages-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** 16 MB of log in one thread, and a little in another. */
async function fill(store: Store): Promise<void> {
  const bytes = Buffer.alloc(100_000, 'x')
  for (const thread_id of ['large', 'small']) await store.threads.insert(threadRow(thread_id))
  for (let i = 1; i <= 160; i++)
    await store.segments.append([{ thread_id: 'large', first: i, last: i, bytes }])
  await store.segments.append([{ thread_id: 'small', first: 1, last: 1, bytes }])
}

/** With the write-ahead log moved into it. */
function sizeOf(at: string): number {
  const file = join(at, 'clewline.db')
  const database = openDatabase(file)
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  database.close()
  return statSync(file).size
}

test('the file shrinks by itself after a thread is deleted, and what is left is whole', async () => {
  const at = folder()
  const store = sqliteStore(at)
  onTestFinished(() => store.close())
  await fill(store)
  expect(sizeOf(at)).toBeGreaterThan(16_000_000)
  await store.threads.remove('large')
  await expect.poll(() => sizeOf(at), { timeout: 20_000, interval: 100 }).toBeLessThan(4_000_000)
  expect((await store.segments.read('small', 0, 1))[0]?.bytes.length).toBe(100_000)
})

test('a store from before shrinks once it is vacuumed, and by itself from then on', async () => {
  const at = folder()
  const old = openDatabase(join(at, 'clewline.db'))
  old.statement('PRAGMA journal_mode = WAL').all()
  migrate(old)
  old.close()
  const before = sqliteStore(at)
  await fill(before)
  await before.threads.remove('large')
  await before.close()
  const { bytesBefore, bytesAfter } = vacuumStore(at)
  expect(bytesBefore).toBeGreaterThan(16_000_000)
  expect(bytesAfter).toBeLessThan(1_000_000)
  const database = openDatabase(join(at, 'clewline.db'))
  expect(database.statement('PRAGMA auto_vacuum').all()).toEqual([{ auto_vacuum: 2 }])
  database.close()
  const store = sqliteStore(at)
  onTestFinished(() => store.close())
  expect(() => vacuumStore(at)).toThrow('in use by another Clewline process')
  expect((await store.segments.read('small', 0, 1))[0]?.bytes.length).toBe(100_000)
})
