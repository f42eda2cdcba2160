import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '@clewline/core'
import type { Client } from 'pg'
import type { Notice, Notices } from '../notices.ts'
import type { Database, Queries } from './pg-database.ts'
import { afterPoll } from './pg-sockets.ts'

const CHANNEL = 'clewline'
const RETRY_MS = [50, 200, 500, 1_000] as const
/** So long after the last answer the connection is probed again. */
const PROBE_MS = 500
/** A probe that is not answered within so long means that the connections of this process are silent. */
const SILENT_MS = 2_000
const CLOSE_MS = 500

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

/**
 * Listens on a connection of its own, and reconnects when it is lost. Between notices a connection that has gone silent
 * looks like one that is fine, so it is probed; when a probe is not answered, all connections that were silent meanwhile
 * are given up with it.
 */
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
    try {
      await opened.connect()
      await ask(opened, `LISTEN ${CHANNEL}`)
    } catch (error) {
      // A standby refuses to listen: its connection is fine, and must not be left open.
      opened.end().catch(() => {})
      throw error
    }
    client = opened
    failures = 0
    void probe(opened)
  }

  async function probe(opened: Client): Promise<void> {
    while (client === opened) {
      await sleep(PROBE_MS, undefined, { ref: false })
      // When it is lost, `end` follows.
      await ask(opened, 'SELECT 1').catch(() => {})
    }
  }

  /** Without an answer in time the query rejects, and so does all that waits on connections which are as silent. */
  async function ask(opened: Client, sql: string): Promise<void> {
    const giveUpSilent = database.sockets.mark()
    let isAnswered = false
    const late = (): void => {
      if (!isAnswered) giveUpSilent()
    }
    const timer = setTimeout(() => afterPoll(late), SILENT_MS).unref()
    try {
      await opened.query(sql)
    } finally {
      isAnswered = true
      clearTimeout(timer)
    }
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
    isConnected: () => client !== null,
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
      if (open !== null) await within(open.end(), CLOSE_MS)
    },
  }
}
