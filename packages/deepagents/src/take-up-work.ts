import { createMiddleware } from 'langchain'
import { z } from 'zod'
import { takeSeat } from './agent-runtime.ts'
import type { FileOperation, Files } from './file-operation.ts'

/**
 * Before its model is asked, a sub-agent that was paused puts back what it had changed: it may have nothing left to do
 * but to answer. The fields are declared again without a schema, because LangChain parses them for every model call.
 */
export const takeUpWork = createMiddleware({
  name: 'TakeUpWork',
  stateSchema: z.object({ files: z.custom<Files>(), _fileOperations: z.custom<readonly FileOperation[]>() }),
  wrapModelCall(request, handler) {
    takeSeat(request.runtime.configurable, request.state)
    return handler(request)
  },
})
