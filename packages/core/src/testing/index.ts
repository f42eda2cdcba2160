export { eventLogConformance } from './event-log-conformance.ts'
export type { LogUnderTest } from './event-log-conformance.ts'
export { memoryLog } from '../memory-log.ts'
