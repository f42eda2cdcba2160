import type { DynamicStructuredTool } from '@langchain/core/tools'
import { changingTools, ls, readingTool } from './file-tools.ts'
import { glob, grep } from './search-tools.ts'
import type { AgentTool } from './sub-agent.ts'
import { writeTodos } from './write-todos.ts'

/** In characters. */
export interface FileLimits {
  /** What all files together may hold. */
  readonly maxFilesSize: number
  /** What one `read_file` shows. */
  readonly maxReadLength: number
}

/** Planning and files. `task` is made per agent. */
export function builtInTools({ maxFilesSize, maxReadLength }: FileLimits): readonly AgentTool[] {
  return [writeTodos, ls, readingTool(maxReadLength), ...changingTools(maxFilesSize), glob, grep]
}

/** A tool's name; provider-side tools have one too, or none that a call could use. */
export function toolName(tool: AgentTool | DynamicStructuredTool): string {
  return typeof tool.name === 'string' ? tool.name : ''
}
