import { coerce } from '../coerce.ts'
import { isRecord } from '../is-record.ts'
import type { Json } from '../json.ts'

/** Blocks whose content a message has in a field of its own: `text`, `reasoning` or `tool_calls`. */
const ELSEWHERE = new Set([
  'text',
  'reasoning',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'invalid_tool_call',
  'input_json_delta',
  'function_call',
])

/**
 * The content blocks of a message, as they were sent, when there is more in them than text, reasoning and tool calls:
 * images, audio, files, citations, whatever a provider adds. Undefined otherwise.
 */
export function contentBlocks(content: unknown): readonly Json[] | undefined {
  if (!Array.isArray(content) || content.every(isElsewhere)) return undefined
  const json = coerce(content)
  return Array.isArray(json) ? json : undefined
}

function isElsewhere(block: unknown): boolean {
  if (!isRecord(block)) return true
  return ELSEWHERE.has(String(block['type'])) && !isFull(block['annotations']) && !isFull(block['citations'])
}

const isFull = (value: unknown): boolean => Array.isArray(value) && value.length > 0
