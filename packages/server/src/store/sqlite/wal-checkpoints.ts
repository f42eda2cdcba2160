import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Database } from './database.ts'

const EVERY_MS = 500
const WORTH_BYTES = 4 * 1024 * 1024
const TOO_LARGE_BYTES = 24 * 1024 * 1024
/** SQLite checkpoints by itself again when the worker has not kept up: bounded disk before smooth latency. */
const FALLBACK_PAGES = 16_000

/** Moves the write-ahead log into the file from another thread, whenever it has grown. Returns how to stop. */
export function checkpointInBackground(database: Database, file: string): () => Promise<void> {
  database.statement(`PRAGMA wal_autocheckpoint = ${FALLBACK_PAGES}`).all()
  let worker: Worker | null = null
  let isBusy = false

  async function look(): Promise<void> {
    if (isBusy) return
    const size = await stat(`${file}-wal`).then(
      (found) => found.size,
      () => 0,
    )
    if (size < WORTH_BYTES || isBusy) return
    worker ??= start()
    isBusy = true
    worker.postMessage(size < TOO_LARGE_BYTES ? 'checkpoint' : 'truncate')
  }

  function start(): Worker {
    // Run from source, as in tests, there is no such file: that is the error below.
    const started = new Worker(new URL('./wal-worker.js', import.meta.url), { workerData: file })
    started.unref()
    started.on('message', () => (isBusy = false))
    // Without the worker SQLite falls back to its own checkpoints: slower, never wrong.
    started.on('error', () => {
      worker = null
      database.statement('PRAGMA wal_autocheckpoint = 1000').all()
    })
    return started
  }

  const timer = setInterval(() => void look(), EVERY_MS)
  timer.unref()
  return async () => {
    clearInterval(timer)
    if (worker === null) return
    // Never terminate(): libsql 0.5.29 aborts the whole process when its thread is torn down in mid-call.
    const exit = once(worker, 'exit')
    worker.ref()
    worker.postMessage('stop')
    await exit
  }
}
