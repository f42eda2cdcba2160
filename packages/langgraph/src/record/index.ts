export { messageFrom } from './message-from.ts'
export { toolResultFrom } from './tool-result-from.ts'
export type { RecordedTool } from './tool-result-from.ts'
