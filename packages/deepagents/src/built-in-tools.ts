import type { DynamicStructuredTool } from '@langchain/core/tools'
import { seatOf, type OpenSeat } from './agent-runtime.ts'
import type { FileBackend } from './file-backend.ts'
import { changingTools, listingTool, readingTool } from './file-tools.ts'
import { globTool, grepTool } from './search-tools.ts'
import type { AgentTool } from './sub-agent.ts'
import { writeTodos } from './write-todos.ts'

/** Sizes are in characters. */
export interface FileLimits {
  /** What all files together may hold. */
  readonly maxFilesSize: number
  /** What one `read_file` shows. */
  readonly maxReadLength: number
  /** Patterns of names that no tool may change. */
  readonly readOnly: readonly string[]
}

/** Planning and files. `task` is made per agent. */
export function builtInTools(
  { maxFilesSize, maxReadLength, readOnly }: FileLimits,
  backend: FileBackend | undefined,
): readonly AgentTool[] {
  const open: OpenSeat = (runtime) => seatOf(runtime, backend)
  return [
    writeTodos,
    listingTool(open),
    readingTool(open, maxReadLength),
    ...changingTools({ open, maxSize: maxFilesSize, readOnly }),
    globTool(open),
    grepTool(open),
  ]
}

/** A tool's name; provider-side tools have one too, or none that a call could use. */
export function toolName(tool: AgentTool | DynamicStructuredTool): string {
  return typeof tool.name === 'string' ? tool.name : ''
}
