import { ToolMessage } from '@langchain/core/messages'
import { Command } from '@langchain/langgraph'
import type { AgentRuntime } from './agent-runtime.ts'
import type { Todo } from './deep-agent-state.ts'
import type { FileOperation } from './file-operation.ts'

interface Changes {
  readonly todos?: readonly Todo[]
  readonly files?: readonly FileOperation[]
  readonly _fileOperations?: readonly FileOperation[]
}

interface Answer {
  readonly tool: string
  readonly text: string
  readonly failed?: boolean
  readonly changes?: Changes
  /** For programs: what the text says, as data. */
  readonly artifact?: unknown
}

/** A tool's answer and its changes as one update, so that the state never holds one without the other. */
export function answer(runtime: AgentRuntime, { tool, text, failed, changes, artifact }: Answer): Command {
  const message = new ToolMessage({
    content: text,
    name: tool,
    tool_call_id: runtime.toolCallId,
    status: failed === true ? 'error' : 'success',
    ...(artifact !== undefined && { artifact }),
  })
  return new Command({ update: { ...changes, messages: [message] } })
}
