import { ClewlineError, within } from '@clewline/core'
import type { Client, Pool, PoolClient } from 'pg'
import { type PgSockets, pgSockets } from './pg-sockets.ts'

type Value = string | number | Buffer | Uint8Array | readonly string[] | null

/** Runs one statement; also what a transaction hands to its work. */
export interface Queries {
  all<Row extends object>(sql: string, values?: readonly Value[]): Promise<readonly Row[]>
  one<Row extends object>(sql: string, values?: readonly Value[]): Promise<Row | undefined>
  /** How many rows changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>
}

export interface Database extends Queries {
  readonly pool: Pool
  /** Those of the pool and of `client`. */
  readonly sockets: PgSockets
  /** A connection apart from the pool, not yet connected. */
  client(): Client
  /** `work` is done again when Postgres gave it up in favour of another transaction. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Ends the connections; those that do not end by themselves are destroyed. */
  close(): Promise<void>
}

/** How long Postgres may take. For migrations, which may rewrite a table or wait for another process: any time. */
export interface DatabaseLimits {
  /** Postgres cancels a statement that takes longer. 0 for no limit. */
  readonly statementMs: number
  /** Postgres ends a transaction whose process is silent for so long, and frees the rows that it holds. 0 for no limit. */
  readonly idleInTransactionMs: number
}

const DEFAULT_LIMITS: DatabaseLimits = { statementMs: 30_000, idleInTransactionMs: 3_000 }
const CONNECT_MS = 2_500
/** How long a query may wait for a connection of a pool that is busy. */
const QUEUE_MS = 30_000
const CLOSE_MS = 500

/** A deadlock, a serialisation failure: nothing was done, and the next attempt may well pass. */
const GIVEN_UP: ReadonlySet<string> = new Set(['40P01', '40001'])
const ATTEMPTS = 5

/** Opens a pool; `pg` is an optional peer, so that those who run on one machine do not carry it. */
export async function openDatabase(url: string, limits = DEFAULT_LIMITS): Promise<Database> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new ClewlineError(
      'bad-config',
      'A postgres:// store needs the package "pg", which is not installed.',
      {
        hint: 'npm install pg @langchain/langgraph-checkpoint-postgres',
        cause,
      },
    )
  })
  const { statementMs, idleInTransactionMs } = limits
  const sockets = pgSockets({
    connectMs: CONNECT_MS,
    silentMs: statementMs === 0 ? 0 : statementMs + CONNECT_MS,
  })
  const connection = { connectionString: url, keepAlive: true, stream: () => sockets.open() }
  const pool = new pg.Pool({
    ...connection,
    max: 10,
    application_name: 'clewline',
    connectionTimeoutMillis: QUEUE_MS,
    // By a statement, not as start-up parameters: poolers such as PgBouncer refuse those.
    verify(client, done) {
      client
        .query(
          `SET statement_timeout = ${statementMs}; SET idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
        )
        .then(() => done(), done)
    },
  })
  // A lost connection is replaced by the pool, and its query rejects. Without listeners, one that is lost
  // between two queries, in the pool's hands or in a transaction's, would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await pool.query('SELECT 1')
  } catch (cause) {
    await pool.end()
    sockets.destroyAll()
    throw new ClewlineError(
      'unavailable',
      `Cannot reach the Postgres store at ${withoutSecrets(url)}: ${reasonOf(cause)}`,
      {
        hint: 'Check that the server runs, and the host, database, user and password of the --store URL.',
        cause,
      },
    )
  }
  return {
    ...queriesOn(pool),
    pool,
    sockets,
    client: () => new pg.Client({ ...connection, application_name: 'clewline listener' }),
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transact(pool, work)
        } catch (error) {
          if (!GIVEN_UP.has(codeOf(error)) || attempt === ATTEMPTS) throw error
        }
      }
    },
    async close() {
      // It waits for queries that are not answered, for as long as that takes.
      await within(pool.end(), CLOSE_MS)
      sockets.destroyAll()
    },
  }
}

async function transact<T>(pool: Pool, work: (queries: Queries) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(queriesOn(client))
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // A connection that cannot even roll back is broken: `release(true)` drops it.
    const isBroken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    )
    client.release(isBroken)
    throw error
  }
}

function queriesOn(client: Pool | PoolClient): Queries {
  const query = async <Row extends object>(sql: string, values: readonly Value[]) => {
    try {
      return await client.query<Row>(sql, [...values])
    } catch (error) {
      throw codeOf(error) === NOT_A_TEXT ? notAText(error) : error
    }
  }
  return {
    // A row's shape is what the statement selects: its author states it.
    all: async <Row extends object>(sql: string, values: readonly Value[] = []) =>
      (await query<Row>(sql, values)).rows,
    one: async <Row extends object>(sql: string, values: readonly Value[] = []) =>
      (await query<Row>(sql, values)).rows[0],
    run: async (sql, values = []) => (await query(sql, values)).rowCount ?? 0,
  }
}

/** U+0000: Postgres keeps it in no text, and compares it with none. */
const NOT_A_TEXT = '22021'

function notAText(cause: unknown): ClewlineError {
  return new ClewlineError('bad-request', 'The store cannot hold or look for a text with a NUL character.', {
    hint: 'Leave U+0000 out of ids, queries and names.',
    cause,
  })
}

/** Postgres' own code of an error, e.g. 23505 for a unique index that was violated. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

// Classes 08 (connection), 40 (rolled back), 53 (resources) and 57 (the server stops, a statement takes too long), a
// transaction that was idle for too long, or an error of the socket.
const UNAVAILABLE_CODE = /^(08|40|53|57|25P03)|^E[A-Z]+$/
// What pg itself says has no code.
const UNAVAILABLE_TEXT =
  /connection (terminated|error)|timeout exceeded when trying to connect|cannot use a pool|not queryable/i

/** Whether the error is about the way to the server, not about what was asked of it. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  return code === ''
    ? error instanceof Error && UNAVAILABLE_TEXT.test(error.message)
    : UNAVAILABLE_CODE.test(code)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message === '' ? codeOf(error) : error.message
}

function withoutSecrets(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `${host}${pathname}`
  } catch {
    return 'the given URL'
  }
}
