import type { Database, Statement } from './database.ts'

/** Where a thread's states are. */
export const STATE_TABLES = ['checkpoints', 'checkpoint_values', 'checkpoint_writes'] as const

export interface CheckpointRow {
  thread_id: string
  ns: string
  checkpoint_id: string
  parent_id: string | null
  type: string
  checkpoint: Uint8Array
  metadata: Uint8Array
}

export interface SaverStatements {
  readonly one: Statement<CheckpointRow>
  readonly newest: Statement<CheckpointRow>
  readonly page: Statement<{ thread_id: string; ns: string; checkpoint_id: string }>
  readonly value: Statement<{ type: string; value: Uint8Array }>
  readonly writes: Statement<{ task_id: string; channel: string; type: string; value: Uint8Array }>
  readonly put: Statement<never>
  readonly putValue: Statement<never>
  readonly keepWrite: Statement<never>
  readonly replaceWrite: Statement<never>
  readonly removals: readonly Statement<never>[]
}

const COLUMNS = 'thread_id, ns, checkpoint_id, parent_id, type, checkpoint, metadata'
const WRITE = 'INTO checkpoint_writes (thread_id, ns, checkpoint_id, task_id, idx, channel, type, value)'

export function saverStatements(database: Database): SaverStatements {
  return {
    one: database.statement(
      `SELECT ${COLUMNS} FROM checkpoints WHERE thread_id = ? AND ns = ? AND checkpoint_id = ?`,
    ),
    newest: database.statement(
      `SELECT ${COLUMNS} FROM checkpoints WHERE thread_id = ? AND ns = ? ORDER BY checkpoint_id DESC LIMIT 1`,
    ),
    page: database.statement(
      `SELECT thread_id, ns, checkpoint_id FROM checkpoints
       WHERE (?1 IS NULL OR thread_id = ?1) AND (?2 IS NULL OR ns = ?2)
         AND (?3 IS NULL OR checkpoint_id = ?3) AND (?4 IS NULL OR checkpoint_id < ?4)
       ORDER BY checkpoint_id DESC`,
    ),
    value: database.statement(
      'SELECT type, value FROM checkpoint_values WHERE thread_id = ? AND ns = ? AND channel = ? AND version = ?',
    ),
    // As they came: of several questions the first is asked first. Ids of tasks say nothing about order.
    writes: database.statement(
      `SELECT task_id, channel, type, value FROM checkpoint_writes
       WHERE thread_id = ? AND ns = ? AND checkpoint_id = ? ORDER BY rowid`,
    ),
    put: database.statement(`INSERT OR REPLACE INTO checkpoints (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`),
    putValue: database.statement(
      'INSERT OR REPLACE INTO checkpoint_values (thread_id, ns, channel, version, type, value) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    keepWrite: database.statement(`INSERT OR IGNORE ${WRITE} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    replaceWrite: database.statement(`INSERT OR REPLACE ${WRITE} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    removals: STATE_TABLES.map((table) => database.statement(`DELETE FROM ${table} WHERE thread_id = ?`)),
  }
}
