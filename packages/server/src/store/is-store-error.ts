/** SQLite's codes by name, Postgres' SQLSTATE, or Node's for a socket or a file. */
const CODE = /^(SQLITE_\w+|[0-9A-Z]{5}|E[A-Z]+)$/

/** Whether an error comes from where things are stored, and not from what was to be stored. */
export function isStoreError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && CODE.test(error.code)
}
