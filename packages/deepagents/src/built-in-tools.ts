import type { DynamicStructuredTool } from '@langchain/core/tools'
import { changingTools, ls, readFile } from './file-tools.ts'
import { glob, grep } from './search-tools.ts'
import type { AgentTool } from './sub-agent.ts'
import { writeTodos } from './write-todos.ts'

/** Planning and files, for a workspace of at most `maxFilesSize` characters. `task` is made per agent. */
export function builtInTools(maxFilesSize: number): readonly AgentTool[] {
  return [writeTodos, ls, readFile, ...changingTools(maxFilesSize), glob, grep]
}

/** A tool's name; provider-side tools have one too, or none that a call could use. */
export function toolName(tool: AgentTool | DynamicStructuredTool): string {
  return typeof tool.name === 'string' ? tool.name : ''
}
