import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClewline, type Clewline } from '../create-clewline.ts'
import { redactSecrets } from '../redact/redact-secrets.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from '../store/postgres/start-postgres.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''
const SECRET = 'ada@planted.example'
const newKey = (): string => randomBytes(32).toString('base64')

describe.skipIf(programs === null)(`with a real Postgres${needs}`, () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.stop())

  const open = (store: string, encryption?: { key: string; oldKeys?: string[] }): Promise<Clewline> =>
    createClewline({
      agents: { chat: chatGraph(() => ({ text: `hello ${SECRET}` })) },
      store,
      studio: false,
      redact: redactSecrets,
      onFailure: () => {},
      ...(encryption !== undefined && { encryption }),
    })

  async function say(clewline: Clewline) {
    await clewline.threads.create({ thread_id: 't' })
    const config = { configurable: { note: SECRET } }
    const { run_id } = (await clewline.runs.create('t', { agent: 'chat', input: userSays(SECRET), config }))
      .run
    await expect
      .poll(async () => (await clewline.runs.get('t', run_id)).status, { timeout: 10_000 })
      .not.toMatch(/pending|running/)
    return await clewline.runs.get('t', run_id)
  }

  /** Tables whose rows have the secret, in text or in bytes. */
  async function tablesWithSecret(url: string): Promise<string[]> {
    const client = new pg.Client(url)
    await client.connect()
    const found: string[] = []
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname LIKE 'clewline%'`,
    )
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`)
      const text = JSON.stringify(rows, (_key, value: unknown) =>
        value instanceof Object && Reflect.get(value, 'type') === 'Buffer'
          ? Buffer.from(Reflect.get(value, 'data')).toString('latin1')
          : value,
      )
      if (text.includes(SECRET)) found.push(name)
    }
    await client.end()
    return found.sort()
  }

  test('with a key and a redaction no row has the secret; without a key the states and requests do', async () => {
    const [plain, safe] = [await postgres.newDatabase(), await postgres.newDatabase()]
    for (const [url, encryption] of [
      [plain, undefined],
      [safe, { key: newKey() }],
    ] as const) {
      const clewline = await open(url, encryption)
      expect(await say(clewline)).toMatchObject({ status: 'success' })
      expect(JSON.stringify((await clewline.threads.state('t')).values)).toContain(SECRET)
      await clewline.close()
    }
    expect(await tablesWithSecret(plain)).toEqual([
      'clewline.runs',
      'clewline_checkpoints.checkpoint_blobs',
      'clewline_checkpoints.checkpoint_writes',
    ])
    expect(await tablesWithSecret(safe)).toEqual([])
  })

  test('plain rows and rows of an earlier key are read; without the key the run says so', async () => {
    const url = await postgres.newDatabase()
    const [key, newer] = [newKey(), newKey()]
    for (const encryption of [undefined, { key }, { key: newer, oldKeys: [key] }]) {
      const clewline = await open(url, encryption)
      expect(await say(clewline)).toMatchObject({ status: 'success' })
      await clewline.close()
    }
    const last = await open(url, { key: newer, oldKeys: [key] })
    expect(await last.forks.checkpoints('t')).toHaveLength(9)
    expect((await last.threads.state('t')).values).toMatchObject({ messages: { length: 6 } })
    await last.close()
    const without = await open(url)
    expect(await say(without)).toMatchObject({ status: 'error', crashes: 0 })
    await without.close()
  })
})
