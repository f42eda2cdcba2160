import { expect, test } from 'vitest'
import { runRow } from '../../testing/store-under-test.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { sqliteStoreOn } from './sqlite-store.ts'

test('runs of a store in which requests stood among the other columns keep them', async () => {
  const database = openDatabase(':memory:')
  migrate(database, 3)
  const insert = database.statement(
    `INSERT INTO runs (run_id, thread_id, trace_id, agent, status, request, attempt, created_at, run_at, crashes)
     VALUES (?, 't', ?, 'agent', 'success', ?, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 0)`,
  )
  // The first as it was written before `kind` came first.
  insert.run('a', 'a', '{"input":{"text":"hello"},"kind":"input"}')
  insert.run('b', 'b', '{"kind":"resume","answers":[{"value":"yes"}]}')
  migrate(database)
  const { runs, threads } = sqliteStoreOn(database, undefined, async () => database.close())
  expect((await runs.get('a'))?.request).toEqual({ kind: 'input', input: { text: 'hello' } })
  expect((await runs.get('b'))?.request).toEqual({ kind: 'resume', answers: [{ value: 'yes' }] })
  const kinds = (await runs.list('t', 10)).map(({ run_id, kind }) => [run_id, kind])
  expect(Object.fromEntries(kinds)).toEqual({ a: 'input', b: 'resume' })
  await runs.insert(runRow('t', { run_id: 'c' }))
  expect(await runs.get('c')).toMatchObject({ run_id: 'c', request: { kind: 'input' } })
  await threads.remove('t')
  expect(database.statement('SELECT * FROM run_requests').all()).toEqual([])
})
