import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventLogConformance } from '@skein/core/testing'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import { segmentLog } from './segment-log.ts'

eventLogConformance('a segment log on SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'skein-log-'))
  const store = sqliteStore(directory)
  const log = segmentLog(store.segments)
  return {
    log,
    async dispose() {
      await log.close()
      await store.close()
      rmSync(directory, { recursive: true })
    },
  }
})
