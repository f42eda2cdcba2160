import type { Client } from 'pg'
import type { Notice, Notices } from '../store.ts'
import type { Database, Queries } from './pg-database.ts'

const CHANNEL = 'clewline'
const RETRY_MS = [100, 300, 1_000, 3_000] as const

/** Notifies other processes when the transaction commits. A payload may have 8 kB at most, so it only says where to look. */
export async function notify(queries: Queries, from: string, notice: Notice): Promise<void> {
  await queries.run('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify({ from, notice })])
}

interface Payload {
  readonly from: string
  readonly notice: Notice
}

export interface ListeningNotices extends Notices {
  close(): Promise<void>
}

/** Listens on a connection of its own, and reconnects when it is lost. */
export async function pgNotices(database: Database, self: string): Promise<ListeningNotices> {
  const listeners = new Set<(notice: Notice) => void>()
  let client: Client | null = null
  let timer: NodeJS.Timeout | null = null
  let isClosed = false
  let failures = 0

  function deliver(notice: Notice): void {
    for (const listener of listeners) listener(notice)
  }

  function receive(payload: string | undefined): void {
    if (payload === undefined) return
    const { from, notice }: Payload = JSON.parse(payload)
    if (from !== self) deliver(notice)
  }

  async function listen(): Promise<void> {
    const opened = database.client()
    opened.on('notification', ({ payload }) => receive(payload))
    // `end` follows `error`, and comes alone when the server closes the connection.
    opened.on('error', () => {})
    opened.on('end', () => {
      if (client === opened) retry()
    })
    await opened.connect()
    await opened.query(`LISTEN ${CHANNEL}`)
    client = opened
    failures = 0
  }

  function retry(): void {
    client = null
    if (isClosed) return
    const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]
    failures += 1
    timer = setTimeout(() => {
      listen().then(() => deliver({ kind: 'missed' }), retry)
    }, wait)
  }

  await listen()
  return {
    publish: (notice) => notify(database, self, notice),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      const open = client
      client = null
      await open?.end()
    },
  }
}
