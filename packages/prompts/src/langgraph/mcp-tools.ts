import { isRecord } from '@clewline/core'
import { fromJsonSchema } from '../schema/from-json-schema.ts'
import { fail, ok, type ToolResult } from '../result/tool-result.ts'
import { tool, type Tool } from '../prompt/tool.ts'

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

/** The tools of an MCP server, for the sections of a prompt. When the server is unavailable, a call fails. */
export async function mcpTools(
  client: McpClient,
  options: {
    /** Put before each name, so that two servers do not clash. */
    readonly prefix?: string
    readonly include?: (name: string) => boolean
  } = {},
): Promise<Tool[]> {
  const { prefix = '', include = () => true } = options
  const tools: Tool[] = []
  let cursor: string | undefined
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor })
    for (const { name, description, inputSchema } of page.tools)
      if (include(name))
        tools.push(mcpTool(client, name, `${prefix}${name}`, description ?? name, { ...inputSchema }))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return tools
}

function mcpTool(
  client: McpClient,
  remote: string,
  name: string,
  description: string,
  schema: Record<string, unknown>,
): Tool {
  return tool({
    name: name
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]/g, '_')
      .slice(0, 64),
    description: description.replaceAll(/\s+/g, ' ').trim().slice(0, 200) || name,
    params: fromJsonSchema<Record<string, unknown>>({ type: 'object', ...schema }),
    async handler(params, { signal }) {
      return readResult(await client.callTool({ name: remote, arguments: params }, undefined, { signal }))
    },
  })
}

function readResult(result: object): ToolResult<unknown> {
  const { content, structuredContent, isError } = {
    content: [],
    structuredContent: undefined,
    isError: false,
    ...result,
  }
  const text = (Array.isArray(content) ? content : []).map(textOf).join('\n')
  if (isError) return fail(text === '' ? 'The tool failed without a word.' : text)
  return ok(structuredContent ?? text)
}

function textOf(block: unknown): string {
  if (!isRecord(block)) return ''
  return block['type'] === 'text' && typeof block['text'] === 'string'
    ? block['text']
    : `[${String(block['type'])}]`
}
