import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStore } from './sqlite-store.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'clewline-store-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const noise = 'This is no database. '.repeat(100)

test.each([
  ['a file in place of the directory', (at: string) => join(at, 'file'), 'file'],
  ['a database that is none', (at: string) => at, 'clewline.db'],
  ['a lock that is none', (at: string) => at, 'lock.db'],
  ['a place where nothing can be made', () => '/proc/clewline/store', 'unrelated'],
])('%s is told in a sentence, with what to do', (_what, directory, broken) => {
  const at = folder()
  writeFileSync(join(at, broken), noise)
  expect(() => sqliteStore(directory(at))).toThrow(
    expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('cannot be opened') }),
  )
})

test('the folders on the way to a store are made', async () => {
  const at = join(folder(), 'a', 'b')
  const store = sqliteStore(at)
  await store.close()
  expect(existsSync(join(at, 'clewline.db'))).toBe(true)
})

test('a store that cannot be opened is not held: once it is mended it opens', async () => {
  const at = folder()
  const file = join(at, 'clewline.db')
  writeFileSync(file, noise)
  expect(() => sqliteStore(at)).toThrow('cannot be opened')
  rmSync(file)
  const store = sqliteStore(at)
  expect(await store.threads.list({ limit: 1 })).toEqual([])
  expect(() => sqliteStore(at)).toThrow('in use by another Clewline process')
  await store.close()
})
