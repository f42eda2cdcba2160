import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from './database.ts'

// Moving the write-ahead log into the file costs 7 to 12 ms: on this thread it stalls no event loop. PASSIVE waits for no one, but lets the
// log grow while others write; TRUNCATE right after it has little left to move, and holds writers up only for that.
const database = openDatabase(String(workerData))
const passive = database.statement('PRAGMA wal_checkpoint(PASSIVE)')
const truncate = database.statement('PRAGMA wal_checkpoint(TRUNCATE)')

parentPort?.on('message', (message: 'checkpoint' | 'truncate' | 'stop') => {
  if (message === 'stop') {
    database.close()
    parentPort?.close()
    return
  }
  passive.all()
  if (message === 'truncate') truncate.all()
  parentPort?.postMessage('done')
})
