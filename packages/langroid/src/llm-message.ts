/** One message as an OpenAI-compatible model reads it. The system message is not part of a thread's history. */
export interface LLMMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Null and empty differ: null means that the model said nothing next to its tool calls. */
  readonly content: string | null
  readonly tool_calls?: readonly LLMToolCall[]
  /** The call that a `tool` message answers. */
  readonly tool_call_id?: string
  /** Client's id of the message, when it came from one; never sent to the model. */
  readonly id?: string
}

export interface LLMToolCall {
  readonly id: string
  readonly name: string
  /** JSON text exactly as the model wrote it, so that a bad one can be shown back to it. */
  readonly arguments: string
}

/** Calls of the last answer in a history that have no result yet. */
export function unansweredCalls(messages: readonly LLMMessage[]): readonly LLMToolCall[] {
  const answered = new Set<string>()
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!
    if (message.role === 'tool' && message.tool_call_id !== undefined) answered.add(message.tool_call_id)
    else if (message.role === 'assistant')
      return (message.tool_calls ?? []).filter((call) => !answered.has(call.id))
    else return []
  }
  return []
}

/**
 * Providers refuse a history in which a tool call has no answer, or an answer no call. Missing answers are written
 * in with `reason`; answers to nothing are left out.
 */
export function repairHistory(messages: readonly LLMMessage[], reason: string): readonly LLMMessage[] {
  const repaired: LLMMessage[] = []
  let open = new Map<string, LLMToolCall>()
  const closeOpen = (): void => {
    for (const id of open.keys()) repaired.push({ role: 'tool', tool_call_id: id, content: reason })
    open = new Map()
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      if (message.tool_call_id !== undefined && open.delete(message.tool_call_id)) repaired.push(message)
      continue
    }
    closeOpen()
    repaired.push(message)
    for (const call of message.tool_calls ?? []) open.set(call.id, call)
  }
  closeOpen()
  return repaired
}
