import { randomUUID } from 'node:crypto'
import { ClewlineError } from '@clewline/core'
import { checkpointSerde } from '@clewline/langgraph'
import type { Pool } from 'pg'
import type { Store } from '../store.ts'
import { pgCrons } from './pg-crons.ts'
import { NOW } from './pg-clock.ts'
import { isUnavailable, openDatabase } from './pg-database.ts'
import { migrate } from './pg-migrations.ts'
import { pgNotices } from './pg-notices.ts'
import { pgRuns } from './pg-runs.ts'
import { pgSegments } from './pg-segments.ts'
import { pgThreads, STATE_SCHEMA } from './pg-threads.ts'

/** A store that many processes share, in the schemas `clewline` and `clewline_checkpoints` of one database. */
export async function postgresStore(url: string): Promise<Store> {
  const { PostgresSaver } = await import('@langchain/langgraph-checkpoint-postgres').catch(
    (cause: unknown) => {
      const missing = '@langchain/langgraph-checkpoint-postgres'
      throw new ClewlineError(
        'bad-config',
        `A postgres:// store needs the package "${missing}", which is not installed.`,
        {
          hint: `npm install pg ${missing}`,
          cause,
        },
      )
    },
  )
  const saverOn = (pool: Pool) => new PostgresSaver(pool, checkpointSerde, { schema: STATE_SCHEMA })
  const unlimited = await openDatabase(url, { statementMs: 0, idleInTransactionMs: 0 })
  try {
    // Its set-up is not made for several processes that start at once; the lock of our own migrations is.
    await migrate(unlimited, () => saverOn(unlimited.pool).setup())
  } finally {
    await unlimited.close()
  }
  const database = await openDatabase(url)
  const self = randomUUID()
  const notices = await pgNotices(database, self)
  return {
    kind: 'postgres',
    isShared: true,
    checkpointer: saverOn(database.pool),
    segments: pgSegments(database, self),
    threads: pgThreads(database),
    runs: pgRuns(database),
    crons: pgCrons(database),
    notices,
    now: async () => (await database.one<{ now: string }>(`SELECT ${NOW} AS now`))!.now,
    isUnavailable,
    async close() {
      await notices.close()
      await database.close()
    },
  }
}
