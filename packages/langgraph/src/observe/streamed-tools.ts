import { isRecord } from '@clewline/core'

/**
 * The tools of a call whose answer is streamed. With a JSON schema for the answer ChatOpenAI says `strict` of each tool to
 * its callbacks, and sends it only when it does not stream (1.5.8): then a tool goes as it was bound.
 */
export function streamedTools(
  params: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>>,
): unknown {
  const { tools, response_format } = params
  const bound = options['tools']
  const isAnswerTyped = isRecord(response_format) && response_format['type'] === 'json_schema'
  if (!isAnswerTyped || options['strict'] !== undefined) return tools
  if (!Array.isArray(tools) || !Array.isArray(bound)) return tools
  return tools.map((tool: unknown, i) => withStrictOf(bound[i], tool))
}

function withStrictOf(bound: unknown, tool: unknown): unknown {
  if (!isRecord(tool) || !isRecord(tool['function'])) return tool
  const { strict: _said, ...rest } = tool['function']
  const own = isRecord(bound) && isRecord(bound['function']) ? bound['function']['strict'] : undefined
  return { ...tool, function: { ...rest, ...(own !== undefined && { strict: own }) } }
}
