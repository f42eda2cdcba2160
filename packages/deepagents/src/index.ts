export { compositeFiles } from './composite-files.ts'
export { directoryFiles } from './directory-files.ts'
export type { DirectoryOptions } from './directory-files.ts'
export type { FileBackend } from './file-backend.ts'
export type { Execution, Sandbox } from './sandbox.ts'
export { storeFiles } from './store-files.ts'
export { createDeepAgent } from './create-deep-agent.ts'
export type { DeepAgentOptions } from './create-deep-agent.ts'
export type { DeepAgent } from './deep-agent.ts'
export type { SummariseOptions } from './summarise.ts'
export { cutText } from './cut-text.ts'
export { DeepAgentError } from './deep-agent-error.ts'
export type { DeepAgentErrorCode } from './deep-agent-error.ts'
export type { Todo } from './deep-agent-state.ts'
export type { FileChange, FileOperation, Files } from './file-operation.ts'
export type { FilesUpdate } from './files-reducer.ts'
export { BASE_PROMPT } from './base-prompt.ts'
export { localShell } from './local-shell.ts'
export type { LocalShellOptions } from './local-shell.ts'
export type { Report } from './report.ts'
export { resolveModel } from './resolve-model.ts'
export type {
  AgentTool,
  AnySubAgent,
  CompiledSubAgent,
  InterruptOn,
  ResponseFormat,
  SubAgent,
} from './sub-agent.ts'
