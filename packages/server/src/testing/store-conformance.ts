import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../store/store.ts'
import { cronStoreConformance } from './cron-store-conformance.ts'
import { runStoreConformance } from './run-store-conformance.ts'
import { segmentStoreConformance } from './segment-store-conformance.ts'
import { storeUnderTest } from './store-under-test.ts'
import { threadStoreConformance } from './thread-store-conformance.ts'

/**
 * What every `Store` must do, as vitest tests. Call it at the top of a test file; `open` gives an empty store, which is
 * closed at the end.
 */
export function storeConformance(name: string, open: () => Store | Promise<Store>): void {
  describe(`store: ${name}`, () => {
    let opened: Store
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    const tested = storeUnderTest(() => opened)
    threadStoreConformance(tested)
    runStoreConformance(tested)
    segmentStoreConformance(tested)
    cronStoreConformance(tested)
  })
}
