import { coerce, isRecord, type Json } from '@clewline/core'
import { z } from 'zod'
import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import type { HandlerResult } from './tool-message.ts'

/** What a handler returned, as a document of its agent or as a tool. Null when it returned nothing. */
export function documentOf(result: HandlerResult): ChatDocument | ToolUse | null {
  if (result === undefined || result === null) return null
  if (typeof result === 'string') return chatDocument({ sender: 'Agent', content: result })
  if (isChatDocument(result)) return result
  if (isToolUse(result)) return result
  const content = JSON.stringify(result)
  return content === undefined ? null : chatDocument({ sender: 'Agent', content })
}

/** A handler's result as a journal keeps it. What it answers is known there, and not kept again. */
export function resultEntry(result: HandlerResult): Json {
  if (result === undefined) return { handled: null }
  if (!isChatDocument(result)) return { handled: coerce(result) }
  const { parent: _known, ...document } = result
  return { handled: coerce(document) }
}

export function readResult(entry: Json): HandlerResult {
  return z.object({ handled: z.json() }).parse(entry).handled
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
  return isRecord(value) && 'sender' in value && 'toolMessages' in value && 'results' in value
}

function isToolUse(value: unknown): value is ToolUse {
  return isRecord(value) && 'via' in value && 'args' in value && 'name' in value
}
