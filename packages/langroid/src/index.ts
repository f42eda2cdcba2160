export type { Backend } from './backend.ts'
export { maybeAwait } from './config.ts'
export type {
  LangroidAgentConfig,
  LangroidRunInput,
  ToolBehavior,
  ToolCallContext,
  ToolResultContext,
} from './config.ts'
export { addLangroidExpressEndpoint } from './express.ts'
export type { HistoryStore } from './history-store.ts'
export { LangroidAgent } from './langroid-agent.ts'
export { addLangroidEndpoint, createLangroidApp } from './langroid-app.ts'
export { ChatAgent } from './native/chat-agent.ts'
export type { ChatDocument } from './native/chat-document.ts'
export { LanguageModelError } from './native/language-model.ts'
export type { LanguageModel } from './native/language-model.ts'
export { mcpTools } from './native/mcp-tools.ts'
export { MockLM } from './native/mock-lm.ts'
export { OpenAIModel } from './native/openai-model.ts'
export { orchestration } from './native/orchestration.ts'
export { RecipientTool } from './native/recipient-tool.ts'
export { runBatch } from './native/run-batch.ts'
export { Task } from './native/task.ts'
export { ToolMessage } from './native/tool-message.ts'
export type { ToolContext } from './native/tool-message.ts'
export { PythonAgent } from './python/python-agent.ts'
