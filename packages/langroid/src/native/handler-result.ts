import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import type { HandlerResult } from './tool-message.ts'

/** What a handler returned, as a document of its agent. Null when it returned nothing. */
export function documentOf(result: HandlerResult): ChatDocument | null {
  if (result === undefined || result === null) return null
  if (typeof result === 'string') return chatDocument({ sender: 'Agent', content: result })
  if (isChatDocument(result)) return result
  if (isToolUse(result)) return chatDocument({ sender: 'Agent', tools: [result] })
  const content = JSON.stringify(result)
  return content === undefined ? null : chatDocument({ sender: 'Agent', content })
}

/**
 * One answer for all tools of a document: the only one as it is; several API calls as one result per id; several text
 * tools as one text that names them.
 */
export function combineResults(
  answers: readonly { readonly use: ToolUse; readonly document: ChatDocument | null }[],
): ChatDocument | null {
  const given = answers.flatMap(({ use, document }) => (document === null ? [] : [{ use, document }]))
  const [only] = given
  if (only === undefined) return null
  const results = given
    .filter(({ use }) => use.via === 'api')
    .map(({ use, document }) => ({ id: use.id, content: document.content }))
  if (answers.length === 1) return { ...only.document, results }
  return chatDocument({
    sender: 'Agent',
    results,
    content: given.map(({ use, document }) => `Result from ${use.name}: ${document.content}`).join('\n\n'),
  })
}

function isChatDocument(value: unknown): value is ChatDocument {
  return (
    typeof value === 'object' && value !== null && 'sender' in value && 'tools' in value && 'results' in value
  )
}

function isToolUse(value: unknown): value is ToolUse {
  return typeof value === 'object' && value !== null && 'via' in value && 'args' in value && 'name' in value
}
