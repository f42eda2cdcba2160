import { sqliteStore } from './sqlite/sqlite-store.ts'
import { storeConformance } from '../testing/store-conformance.ts'

storeConformance('sqlite', () => sqliteStore(':memory:'))
