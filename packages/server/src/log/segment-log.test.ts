import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Envelope } from '@clewline/core'
import { eventLogConformance } from '@clewline/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { SegmentStore } from '../store/store.ts'
import { segmentLog } from './segment-log.ts'

eventLogConformance('a segment log on SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'clewline-log-'))
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

test('an append that fails takes along what its writer has appended since: the log has no hole', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'clewline-log-'))
  const store = sqliteStore(directory)
  const disk = failingOnce(store.segments)
  const log = segmentLog(disk.segments)
  const writer = log.writer('t')
  const other = log.writer('u')

  void writer.push([token(0)])
  const first = writer.flush()
  await disk.isBusy
  // While the first is on its way to the disk, the second is taken in.
  void writer.push([token(1)])
  disk.fail()
  await expect(first).rejects.toThrow('disk full')
  expect(() => writer.push([token(2)])).toThrow('disk full')
  await expect(writer.flush()).rejects.toThrow('disk full')

  await other.push([token(0)])
  await other.flush()
  expect(await log.last('t')).toBe(0)
  expect(await log.last('u')).toBe(1)
  // Whoever takes the thread up goes on where the log ends.
  const next = log.writer('t')
  await next.push([token(0)])
  expect(await next.flush()).toBe(1)
  await log.close()
  await store.close()
  rmSync(directory, { recursive: true })
})

/** A real store on a disk whose first write fails, when it is told to. */
function failingOnce(segments: SegmentStore): {
  segments: SegmentStore
  isBusy: Promise<void>
  fail: () => void
} {
  let begun = (): void => {}
  let fail = (): void => {}
  let isFirst = true
  const isBusy = new Promise<void>((resolve) => (begun = resolve))
  const failed = new Promise<never>((_, reject) => (fail = () => reject(new Error('disk full'))))
  failed.catch(() => {})
  return {
    isBusy,
    fail: () => fail(),
    segments: {
      ...segments,
      append(appends) {
        if (!isFirst) return segments.append(appends)
        isFirst = false
        begun()
        return failed
      },
    },
  }
}

function token(seq: number): Envelope {
  return {
    type: 'llm_token',
    ts: 0,
    trace_id: 'trace',
    run_id: 'run',
    call_id: 'call',
    parent_id: null,
    seq,
    origin: 'live',
    agent: 'a',
    payload: { text: 'x' },
  }
}

test('a thread that was first asked for while the store was away is there when the store is back', async () => {
  const store = sqliteStore(':memory:')
  onTestFinished(() => store.close())
  let isAway = true
  const log = segmentLog({
    ...store.segments,
    last: async (thread) => {
      if (isAway) throw new Error('away')
      return store.segments.last(thread)
    },
  })
  await expect(log.last('t')).rejects.toThrow('away')
  isAway = false
  expect(await log.last('t')).toBe(0)
})
