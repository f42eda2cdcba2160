import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './database.ts'

/** Another thread that takes the write lock of a database again and again, and truncates its log in between. */
const RIVAL = `
  const { parentPort, workerData } = require('node:worker_threads')
  const Libsql = require('libsql')
  const rival = new Libsql(workerData, { timeout: 5000 })
  let isOver = false
  parentPort.on('message', () => { isOver = true })
  parentPort.postMessage('ready')
  const turn = () => {
    rival.exec('BEGIN IMMEDIATE; COMMIT')
    rival.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([])
    if (isOver) { rival.close(); parentPort.close() } else setImmediate(turn)
  }
  turn()
`

test('a write waits for another connection, also while that one truncates the log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-busy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'busy.db')
  const database = openDatabase(file)
  database.statement('PRAGMA journal_mode = WAL').all()
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, bytes BLOB)')
  const insert = database.statement('INSERT INTO t (bytes) VALUES (?)')
  const count = database.statement<{ n: number }>('SELECT count(*) AS n FROM t')
  const rival = new Worker(RIVAL, { eval: true, workerData: file })
  await new Promise((resolve) => rival.once('message', resolve))
  const bytes = Buffer.alloc(50_000, 1)
  for (let i = 1; i <= 300; i++) {
    database.transaction(() => insert.run(bytes))
    expect(count.get()).toEqual({ n: i })
  }
  const gone = new Promise((resolve) => rival.once('exit', resolve))
  rival.postMessage('stop')
  await gone
  database.close()
})

test('a transaction that throws leaves nothing behind', () => {
  const database = openDatabase(':memory:')
  database.exec('CREATE TABLE t (a)')
  const insert = database.statement('INSERT INTO t VALUES (?)')
  expect(() =>
    database.transaction(() => {
      insert.run(1)
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(database.statement('SELECT * FROM t').all()).toEqual([])
})

test('null is a value like any other, and bytes come back as a Buffer', () => {
  const database = openDatabase(':memory:')
  const echo = database.statement<{ value: unknown }>('SELECT ? AS value')
  expect(echo.get(null)).toEqual({ value: null })
  expect(Buffer.isBuffer(echo.get(Buffer.from('x'))?.value)).toBe(true)
})
