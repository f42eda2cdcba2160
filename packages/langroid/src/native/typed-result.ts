import type { z } from 'zod'
import type { ChatDocument } from './chat-document.ts'
import { jsonSpans, parseJsonObject } from './extract-json.ts'

/** A result as a value of a type: its text, JSON in it, or the fields of a tool. Undefined when none of them fits. */
export function typedResult<T>(result: ChatDocument, type: z.ZodType<T>): T | undefined {
  const { content, toolMessages } = result
  const objects = jsonSpans(content).map(({ start, end }) => parseJsonObject(content.slice(start, end)))
  for (const candidate of [content, parsed(content), ...objects, ...toolMessages.map((use) => use.args)]) {
    const { success, data } = type.safeParse(candidate)
    if (success) return data
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a model is told whose answer did not fit. */
export function schemaReminder(schema: object): string {
  return [
    'A response adhering to the following JSON schema was expected:',
    JSON.stringify(schema),
    'Please resubmit with the correct schema.',
  ].join('\n')
}
