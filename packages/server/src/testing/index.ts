export { eventLogConformance } from '@clewline/core/testing'
export type { LogUnderTest } from '@clewline/core/testing'
export { storeConformance } from './store-conformance.ts'
