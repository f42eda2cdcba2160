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

  /**
   * Tries again while another connection has the lock. SQLite would do so by itself, but libsql 0.5.29 gives up at once
   * now and then while the write-ahead log is truncated, and a run must not be lost over that. Nothing has happened yet
   * when it is refused, so trying again is safe.
   */
  function patiently<T>(work: () => T): T {
    const until = performance.now() + timeoutMs
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error
        Atomics.wait(clock, 0, 0, 1)
      }
    }
  }

  return {
    exec: (sql) => void connection.exec(sql),
    statement<Row>(sql: string): Statement<Row> {
      const prepared = connection.prepare<[Value[]]>(sql)
      return {
        get: (...values) => rowsOf<Row>(patiently(() => prepared.all(values)))[0],
        all: (...values) => rowsOf<Row>(patiently(() => prepared.all(values))),
        run: (...values) => patiently(() => prepared.run(values).changes),
      }
    },
    transaction(work) {
      patiently(() => connection.exec('BEGIN IMMEDIATE'))
      try {
        const result = work()
        connection.exec('COMMIT')
        return result
      } catch (error) {
        // After a full disk SQLite has rolled back by itself, and says so by another error: the first one is the cause.
        if (connection.inTransaction) connection.exec('ROLLBACK')
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

/** Waiting on it is how a thread sleeps. */
const clock = new Int32Array(new SharedArrayBuffer(4))

/** SQLite's own code of an error, e.g. SQLITE_FULL. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_BUSY'
}

/** The file is no database, or not a whole one. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))
}

/** A full disk, a failing one, a file that another process locks or that may no longer be written: no fault of what was to be stored. */
export function isUnavailable(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED)/.test(codeOf(error))
}
