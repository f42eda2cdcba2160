import { chatDocument, type ChatDocument, type TaskStatus } from './chat-document.ts'
import { endingOf } from './orchestration.ts'
import type { Task } from './task.ts'

export const DONE = 'DONE'

/** The pending message as the result of its task, which speaks as the user of its caller. Null when there is none. */
export function taskResult(task: Task, pending: ChatDocument, status: TaskStatus): ChatDocument | null {
  if (status === 'STALLED' || status === 'MAX_TURNS') return null
  const signals = task.config.recognizeStringSignals ?? true
  const { content, tools, isEnd } = endingOf(pending)
  const isSaid = !isEnd && signals && content.includes(DONE)
  return chatDocument({
    content: isSaid ? content.replaceAll(DONE, '').trim() : content,
    ...(!isEnd && pending.visible !== undefined && { visible: pending.visible }),
    sender: 'User',
    senderName: task.name,
    recipient: pending.recipient,
    tools: isEnd ? [] : pending.tools,
    toolMessages: tools,
    results: pending.results,
    ...(pending.block !== undefined && { block: pending.block }),
    status,
    tainted: pending.tainted,
    // Tools that are relayed are the agent's; words are not, whatever they contain (GHSA-gjgq-w2m6-wr5q).
    fromAgent: tools.length > 0 && pending.fromAgent,
    parent: pending,
  })
}
