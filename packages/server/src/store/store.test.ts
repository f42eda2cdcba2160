import { sqliteStore } from './sqlite/sqlite-store.ts'
import { storeConformance } from './store-conformance.ts'

storeConformance('sqlite', async () => sqliteStore(':memory:'))
