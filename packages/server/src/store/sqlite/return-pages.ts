import type { Database } from './database.ts'

/** Free pages are left until there are so many, so that a store with much coming and going does not grow and shrink all the time. */
const WORTH_PAGES = 2_048
const KEPT_PAGES = 512
const SLICE_PAGES = 16
const SLICE_MS = 4
const EVERY_MS = 500
const MORE_MS = 50

/**
 * Incremental vacuum: gives the pages of what was deleted back to the file system, in slices of some milliseconds between which
 * others have their turn. Does nothing in a store from before `auto_vacuum`, which `clewline vacuum` converts. Returns
 * how to stop.
 */
export function returnPagesInBackground(database: Database): () => void {
  const mode = database.statement<{ auto_vacuum: number }>('PRAGMA auto_vacuum').get()?.auto_vacuum
  if (mode !== INCREMENTAL) return () => {}
  const free = database.statement<{ freelist_count: number }>('PRAGMA freelist_count')
  const shrink = database.statement('PRAGMA wal_checkpoint(PASSIVE)')
  let isReturning = false
  let timer = setTimeout(look, EVERY_MS).unref()

  function look(): void {
    try {
      const pages = free.get()?.freelist_count ?? 0
      if (pages > WORTH_PAGES) isReturning = true
      if (isReturning) returnSome(pages)
    } catch {
      // Another connection has the lock, or the disk is full: the pages are there the next time.
    }
    timer = setTimeout(look, isReturning ? MORE_MS : EVERY_MS).unref()
  }

  function returnSome(pages: number): void {
    const until = performance.now() + SLICE_MS
    let left = pages
    while (left > KEPT_PAGES && performance.now() < until) {
      database.exec(`PRAGMA incremental_vacuum(${SLICE_PAGES})`)
      left -= SLICE_PAGES
    }
    if (left <= KEPT_PAGES) {
      isReturning = false
      // The file is cut when its write-ahead log is moved into it.
      shrink.all()
    }
  }

  return () => clearTimeout(timer)
}

/** As `PRAGMA auto_vacuum` says it. */
const INCREMENTAL = 2
