export { answerTo } from './answer-to.ts'
export { callsBelow, childrenOf, isFolded } from './children-of.ts'
export type { Calls } from './children-of.ts'
export { createFold } from './fold.ts'
export type { Fold } from './fold.ts'
export { lanes } from './lanes.ts'
export type { Lane } from './lanes.ts'
export { createTimeline } from './timeline.ts'
export type { Timeline } from './timeline.ts'
export { transcript } from './transcript.ts'
export type { TranscriptItem } from './transcript.ts'
export { EMPTY_VIEW } from './view.ts'
export type {
  Call,
  CallStatus,
  File,
  FileChange,
  Notice,
  PendingInterrupt,
  Run,
  StreamedToolCall,
  View,
} from './view.ts'
