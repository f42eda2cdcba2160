import { isRecord, type JsonObject } from '@clewline/core'
import type { ToolUse } from './chat-document.ts'
import { jsonSpans, parseJsonObject } from './extract-json.ts'
import { validationError, type ToolMessage } from './tool-message.ts'

/** The tools that an agent knows, and those that it handles: only these may be guessed from their fields. */
export interface ToolBox {
  readonly known: ReadonlyMap<string, ToolMessage>
  readonly handled: ReadonlySet<string>
}

/** Tool calls that a model wrote as JSON in its text. JSON that is no known tool stays what it is: text. */
export function findTextTools(text: string, box: ToolBox, nextId: () => string): readonly ToolUse[] {
  const uses: ToolUse[] = []
  for (const { start, end } of jsonSpans(text)) {
    const found = readTextTool(text.slice(start, end), box)
    if (found === undefined) continue
    const parsed = found.tool.parse(found.args)
    uses.push({
      id: nextId(),
      name: found.tool.request,
      args: found.args,
      via: 'text',
      ...(!parsed.ok && { error: validationError(found.tool.request, parsed.errors) }),
    })
  }
  return uses
}

/** The tool that one piece of JSON asks for, if it asks for one. */
export function readTextTool(
  json: string,
  box: ToolBox,
): { readonly tool: ToolMessage; readonly args: JsonObject } | undefined {
  const object = parseJsonObject(json)
  if (object === undefined) return undefined
  // Weak models echo the schema around the values.
  const fields = isRecord(object['properties']) ? object['properties'] : object
  const { request, ...args } = fields
  if (request === undefined) return inferTool(args, box)
  const tool = typeof request === 'string' ? box.known.get(request) : undefined
  return tool === undefined ? undefined : { tool, args }
}

/** A forgotten `request` is inferred when the fields fit exactly one handled tool. */
function inferTool(args: JsonObject, box: ToolBox): ReturnType<typeof readTextTool> {
  const keys = Object.keys(args)
  const fitting = [...box.handled].flatMap((name) => {
    const tool = box.known.get(name)
    if (tool === undefined) return []
    const properties = tool.parameters['properties']
    const names = isRecord(properties) ? Object.keys(properties) : []
    const fits = keys.length > 0 && keys.every((key) => names.includes(key)) && tool.parse(args).ok
    return fits ? [tool] : []
  })
  const [tool] = fitting
  return fitting.length === 1 && tool !== undefined ? { tool, args } : undefined
}
