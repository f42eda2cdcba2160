import { memoryLog } from './memory-log.ts'
import { eventLogConformance } from './testing/event-log-conformance.ts'

eventLogConformance('memory', () => memoryLog())
