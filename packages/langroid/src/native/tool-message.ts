import { isRecord, type JsonObject } from '@clewline/core'
import { z } from 'zod'
import type { ChatAgent } from './chat-agent.ts'
import type { ChatDocument, ToolUse } from './chat-document.ts'
import { withoutNulls } from './strict-schema.ts'

/** A tool that a Langroid agent may use, handle, or both. */
export interface ToolMessage {
  /** Its name, to the model and in the code. */
  readonly request: string
  /** Says to the model what it is for. */
  readonly purpose: string
  /** JSON Schema of the fields, without `request` and `purpose`. */
  readonly parameters: JsonObject
  readonly instructions?: string
  /** Shown to a model that writes its tools as text, each with an optional thought that leads to it. */
  readonly examples: readonly { readonly thought?: string; readonly fields: JsonObject }[]
  readonly hasHandler: boolean
  /** The provider must keep to the schema. Default: what the agent says. */
  readonly strict?: boolean
  parse(fields: unknown): ParsedTool
  /** The tool as a handler hands it on: its own agent handles it, or another that can. */
  use(fields: JsonObject): ToolUse
}

type ParsedTool =
  | { readonly ok: true; handle(context: ToolContext): Promise<HandlerResult> }
  | { readonly ok: false; readonly errors: readonly string[] }

/**
 * What a handler may return: nothing, text, another tool to hand on, a whole document, or any value, which becomes
 * JSON.
 */
export type HandlerResult = unknown

/** What a handler may know and say while it works. */
export interface ToolContext {
  readonly tool_call_id: string
  /** The agent that handles it. */
  readonly agent: ChatAgent
  /** The model's message that asked for this tool. */
  readonly document: ChatDocument | undefined
  readonly signal: AbortSignal
  /** Shows progress before the result is there. `state` is merged into the state that the client shares. */
  readonly update: (update: HandlerUpdate) => void | Promise<void>
}

export interface HandlerUpdate {
  readonly state?: JsonObject
  readonly text?: string
  readonly progress?: { readonly done: number; readonly total?: number }
}

interface ToolMessageDefinition<Fields extends z.ZodObject> {
  readonly request: string
  readonly purpose: string
  readonly fields: Fields
  readonly instructions?: string
  readonly strict?: boolean
  readonly examples?: readonly (z.input<Fields> | readonly [thought: string, fields: z.input<Fields>])[]
  readonly handle?: (fields: z.output<Fields>, context: ToolContext) => HandlerResult
}

/** Defines a tool. A handler gets validated fields only. */
export function ToolMessage<Fields extends z.ZodObject>(
  definition: ToolMessageDefinition<Fields>,
): ToolMessage {
  const { request, purpose, fields, handle } = definition
  const parameters = parametersOf(fields)
  return {
    request,
    purpose,
    parameters,
    ...(definition.strict !== undefined && { strict: definition.strict }),
    ...(definition.instructions !== undefined && { instructions: definition.instructions }),
    examples: (definition.examples ?? []).map((example) =>
      Array.isArray(example)
        ? { thought: String(example[0]), fields: plain(example[1]) }
        : { fields: plain(example) },
    ),
    hasHandler: handle !== undefined,
    use: (args) => ({ id: '', name: request, args, via: 'agent' }),
    parse(given) {
      const direct = fields.safeParse(given)
      // Strict decoding writes null for a field that is not there.
      const parsed =
        direct.success || !isRecord(given) ? direct : fields.safeParse(withoutNulls(plain(given), parameters))
      if (!parsed.success) {
        return { ok: false, errors: parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`) }
      }
      return { ok: true, handle: async (context) => await handle?.(parsed.data, context) }
    },
  }
}

/** A frontend tool, known by its JSON Schema only: the client checks the arguments. */
export function clientTool(tool: {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}): ToolMessage {
  return {
    request: tool.name,
    purpose: tool.description,
    parameters: tool.parameters,
    examples: [],
    hasHandler: false,
    use: (args) => ({ id: '', name: tool.name, args, via: 'agent' }),
    parse: () => ({ ok: true, handle: async () => undefined }),
  }
}

/** The text that the model reads when it used a tool's name with wrong fields. */
export function validationError(name: string, errors: readonly string[]): string {
  return [
    `There were one or more errors in your attempt to use the TOOL or function_call named '${name}':`,
    ...errors,
    'Please write your message again, correcting the errors.',
  ].join('\n')
}

/** The JSON that a model writes for a tool when tools are text. */
export function toolText(use: Pick<ToolUse, 'name' | 'args'>): string {
  return JSON.stringify({ request: use.name, ...use.args })
}

export function parametersOf(fields: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = plain(z.toJSONSchema(fields, { io: 'input' }))
  return schema
}

function plain(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value))
  return z.record(z.string(), z.json()).parse(copy)
}
