import { ToolMessage } from '@langchain/core/messages'
import { isGraphBubbleUp } from '@langchain/langgraph'
import { ToolInvocationError, type WrapToolCallHook } from 'langchain'
import { rootOf } from './tend-nodes.ts'
import { refuseUnreadable } from './unreadable-calls.ts'

/**
 * A tool that fails, or is called with wrong or unreadable arguments, is an answer to the model and never the
 * end of the run. By itself, LangChain (1.5.14) answers wrong arguments with a stack trace, and ends the run when a tool
 * throws below a middleware that wraps it.
 */
export const answerFailures: WrapToolCallHook = async (request, handler) => {
  const refusal = refuseUnreadable(request.toolCall)
  if (refusal !== undefined) return refusal
  try {
    return await handler(request)
  } catch (error) {
    // Pauses, hand-overs and cancellation belong to the run.
    if (isGraphBubbleUp(error) || request.runtime.signal?.aborted === true) throw error
    const { name, id = '' } = request.toolCall
    return new ToolMessage({ name, tool_call_id: id, status: 'error', content: describe(name, error) })
  }
}

function describe(name: string, error: unknown): string {
  const root = rootOf(error)
  if (!ToolInvocationError.isInstance(root)) return `${name} failed: ${messageOf(root)}`
  const [, ...details] = messageOf(root.toolError).split('\n')
  return [`The arguments of ${name} do not fit:`, ...details.filter((line) => line.trim() !== '')].join('\n')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
