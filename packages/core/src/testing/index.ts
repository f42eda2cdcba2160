export { memoryLog } from '../memory-log.ts'
