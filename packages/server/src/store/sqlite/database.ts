import Libsql from 'libsql'

export type Value = string | number | bigint | Uint8Array | null

/** The few calls of a connection that the store uses, with parameters always as one array (libsql 0.5.29 takes a lone null for named ones). */
export interface Database {
  exec(sql: string): void
  statement<Row>(sql: string): Statement<Row>
  /** Runs `work` between BEGIN IMMEDIATE and COMMIT, or ROLLBACK when it throws. */
  transaction<T>(work: () => T): T
  close(): void
}

export interface Statement<Row> {
  get(...values: Value[]): Row | undefined
  all(...values: Value[]): Row[]
  /** How many rows changed. */
  run(...values: Value[]): number
}

/** Opens a file, or memory for `:memory:`. */
export function openDatabase(path: string, timeoutMs = 5_000): Database {
  const connection = new Libsql(path, { timeout: timeoutMs })
  return {
    exec: (sql) => void connection.exec(sql),
    statement<Row>(sql: string): Statement<Row> {
      const prepared = connection.prepare<[Value[]]>(sql)
      return {
        get: (...values) => rowsOf<Row>(prepared.all(values))[0],
        all: (...values) => rowsOf<Row>(prepared.all(values)),
        run: (...values) => prepared.run(values).changes,
      }
    },
    transaction(work) {
      connection.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        connection.exec('COMMIT')
        return result
      } catch (error) {
        connection.exec('ROLLBACK')
        throw error
      }
    },
    close: () => void connection.close(),
  }
}

/**
 * A row's shape is what the statement selects: its author states it. Two traps of libsql 0.5.29: a blob comes as an
 * ArrayBuffer, and `get` (which is why it is not used) adds a `_metadata` column of its own.
 */
function rowsOf<Row>(rows: unknown[]): Row[] {
  for (const row of rows as Record<string, unknown>[]) {
    for (const column in row) {
      const value = row[column]
      if (value instanceof ArrayBuffer) row[column] = Buffer.from(value)
    }
  }
  return rows as Row[]
}
