import { isCommand } from '@langchain/langgraph'
import { createMiddleware } from 'langchain'
import { z } from 'zod'
import { takeSeat } from './agent-runtime.ts'
import type { FileOperation, Files } from './file-operation.ts'
import { takeOverCommand } from './take-over-writes.ts'

/**
 * Before its model is asked or a tool runs, a sub-agent that was paused puts back what it had changed: it may have
 * nothing left to do but to answer. What a tool of the user's then writes to `files` is taken over; as the first of the
 * agent's middlewares it also sees what others make of a tool's answer. The fields are declared again without a schema, because LangChain parses them for every model call.
 */
export const takeUpWork = createMiddleware({
  name: 'TakeUpWork',
  stateSchema: z.object({ files: z.custom<Files>(), _fileOperations: z.custom<readonly FileOperation[]>() }),
  wrapModelCall(request, handler) {
    takeSeat(request.runtime.configurable, request.state)
    return handler(request)
  },
  async wrapToolCall(request, handler) {
    const seat = takeSeat(request.runtime.configurable, request.state)
    const result = await handler(request)
    if (seat === undefined || !isCommand(result)) return result
    return takeOverCommand(result, seat, request.state.files)
  },
})
