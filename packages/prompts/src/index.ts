export type {
  Adapter,
  CompletedResponse,
  EvaluateOptions,
  InterruptedResponse,
  PromptResponse,
  PromptStream,
  ResumeToken,
  StreamPart,
} from './adapter/adapter.ts'
export type { Graph, GraphBuilder } from './adapter/graph-of.ts'
export { LangGraphAdapter } from './adapter/langgraph-adapter.ts'
export type { LangGraphAdapterOptions } from './adapter/langgraph-adapter.ts'
export { createEventBus } from './events/event-bus.ts'
export type { EventBus } from './events/event-bus.ts'
export type { PromptEvent, PromptEventType } from './events/prompt-event.ts'
export { BudgetExceededError } from './limits/budget-exceeded-error.ts'
export { createBudgetTracker } from './limits/budget-tracker.ts'
export type { BudgetTracker } from './limits/budget-tracker.ts'
export type { Budget } from './limits/budget.ts'
export type { Clock } from './limits/clock.ts'
export { DeadlineExceededError } from './limits/deadline-exceeded-error.ts'
export { Deadline } from './limits/deadline.ts'
export { PromptEvaluationError } from './limits/prompt-evaluation-error.ts'
export type { TokenUsage } from './limits/token-usage.ts'
export { VisibilityExpansionRequired } from './prompt/open-sections.ts'
export { PromptDefinitionError } from './prompt/prompt-definition-error.ts'
export { PromptRenderError } from './prompt/prompt-render-error.ts'
export { definePrompt } from './prompt/prompt.ts'
export type { Prompt, PromptTemplate } from './prompt/prompt.ts'
export type { RenderedPrompt } from './prompt/render-prompt.ts'
export { section } from './prompt/section.ts'
export type { Section, SectionPath, Visibility } from './prompt/section.ts'
export { fromJsonSchema } from './schema/from-json-schema.ts'
export type { Schema } from './schema/schema.ts'
export { append, replaceLatest, replaceLatestBy, upsertBy } from './session/reducers.ts'
export { createSession } from './session/session.ts'
export type { Reducer, Session, SessionView } from './session/session.ts'
export { action, slice } from './session/slice.ts'
export type { Action, Slice } from './session/slice.ts'
export { SnapshotRestoreError } from './session/snapshot.ts'
export type { Snapshot } from './session/snapshot.ts'
export { ThrottleError } from './throttle/throttle-error.ts'
export { fail, ok } from './tool/tool-result.ts'
export type { ToolResult } from './tool/tool-result.ts'
export { tool } from './tool/tool.ts'
export type { Tool, ToolContext } from './tool/tool.ts'
