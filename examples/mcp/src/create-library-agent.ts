import { fileURLToPath } from 'node:url'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { createDeepAgent, type DeepAgent } from '@clewline/deepagents'

export interface LibraryAgent {
  readonly graph: DeepAgent
  /** Stops the MCP server. */
  close(): Promise<void>
}

const SERVER = fileURLToPath(new URL('../server/library-server.mjs', import.meta.url))

/** Starts the library's MCP server as a process, and makes an agent that uses its tools. Borrowing needs approval. */
export async function createLibraryAgent(options: {
  readonly model?: string | BaseChatModel
  readonly checkpointer?: BaseCheckpointSaver | boolean
}): Promise<LibraryAgent> {
  const client = new MultiServerMCPClient({
    mcpServers: { library: { transport: 'stdio', command: process.execPath, args: [SERVER] } },
  })
  const tools = await client.getTools()
  const graph = createDeepAgent({
    name: 'library',
    instructions:
      'You are a librarian. Find books for people and lend them. Keep a list of what was lent in loans.md.',
    tools,
    interruptOn: { borrow_book: true },
    ...options,
  })
  return { graph, close: () => client.close() }
}
