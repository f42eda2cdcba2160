import { isRecord } from '@clewline/core'
import { z } from 'zod'
import type { ToolMessage } from './tool-message.ts'

/** What is used of a client of the Model Context Protocol; the one of `@modelcontextprotocol/sdk` fits. */
export interface McpClient {
  listTools(params?: { cursor?: string }): Promise<{
    readonly tools: readonly {
      readonly name: string
      readonly description?: string | undefined
      readonly inputSchema: object
    }[]
    readonly nextCursor?: string | undefined
  }>
  callTool(
    call: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { signal?: AbortSignal },
  ): Promise<object>
}

const Fields = z.record(z.string(), z.json())
const Result = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.json().optional(),
  isError: z.boolean().default(false),
})

/**
 * The tools of an MCP server as tools of an agent. The server checks the arguments; what it refuses is an answer to the
 * model, and only a server that cannot be reached fails the call.
 */
export async function mcpTools(
  client: McpClient,
  options: { readonly include?: (name: string) => boolean } = {},
): Promise<readonly ToolMessage[]> {
  const tools: ToolMessage[] = []
  let cursor: string | undefined
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor })
    for (const { name, description = name, inputSchema } of page.tools) {
      if (options.include?.(name) ?? true) tools.push(mcpTool(client, name, description, inputSchema))
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return tools
}

function mcpTool(client: McpClient, name: string, purpose: string, schema: object): ToolMessage {
  const { $schema: _dialect, ...parameters } = Fields.parse(JSON.parse(JSON.stringify(schema)))
  return {
    request: name,
    purpose,
    parameters,
    examples: [],
    hasHandler: true,
    use: (args) => ({ id: '', name, args, via: 'agent' }),
    parse(fields) {
      if (!isRecord(fields)) return { ok: false, errors: ['the arguments are no object'] }
      const call = { name, arguments: fields }
      return {
        ok: true,
        handle: async ({ signal }) => resultOf(await client.callTool(call, undefined, { signal })),
      }
    },
  }
}

function resultOf(result: object): unknown {
  const { content, structuredContent, isError } = Result.parse(result)
  const text = content.map((block) => block.text ?? `[${block.type}]`).join('\n')
  if (isError) return `ERROR: ${text === '' ? 'the tool failed without a word.' : text}`
  return structuredContent ?? text
}
