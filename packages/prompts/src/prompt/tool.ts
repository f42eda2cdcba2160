import type { BudgetTracker } from '../limits/budget-tracker.ts'
import type { Deadline } from '../limits/deadline.ts'
import { assertShape, PromptDefinitionError } from '../prompt-definition-error.ts'
import type { ToolAnswer } from '../result/tool-result.ts'
import { closeObjects } from '../schema/close-objects.ts'
import { modelSchemaOf, type In, type JsonSchema, type Out, type Schema } from '../schema/schema.ts'
import type { Session } from '../session/session.ts'
import type { Shape } from '../shape.ts'
import type { Adapter } from './adapter.ts'
import type { Prompt } from './prompt.ts'
import type { RenderedPrompt } from './render-prompt.ts'

/** Everything a handler may use. */
export interface ToolContext {
  readonly prompt: Prompt
  readonly rendered: RenderedPrompt
  readonly adapter: Adapter
  /** Writes land when the handler succeeds; they are rolled back when it fails, is denied, or is aborted. */
  readonly session: Session
  readonly callId: string
  /** Aborts on deadline, budget, timeout and cancel. */
  readonly signal: AbortSignal
  readonly deadline: Deadline | undefined
  readonly budget: BudgetTracker | undefined
  /** Asks a human and pauses the evaluation. On resume the handler runs again from its start and gets the answer, which is whatever was sent. */
  readonly interrupt: (value: unknown) => unknown
  /** Tells readers of the stream how far the tool is: text, `{ done, total }` for a bar, or any data. */
  readonly progress: (data: unknown) => void
}

interface ToolExample<P, V> {
  readonly description: string
  readonly input: P
  readonly output: V
}

/** A method type, so that a tool of any parameters is a `Tool`. */
type Predicate<P> = { test(params: P, context: ToolContext): boolean | Promise<boolean> }['test']

/** What `tool()` takes. */
export interface ToolDefinition<N extends string, P extends Schema | undefined, V> {
  readonly name: N
  /** 1 to 200 characters. */
  readonly description: string
  /** Absent: a tool without parameters. Keys that the schema does not name are refused. */
  readonly params?: P
  /** A slice with this very schema collects the values. */
  readonly result?: Schema<unknown, V>
  readonly examples?: readonly ToolExample<In<P>, V>[]
  /** Interrupts the evaluation until a human approves the call. */
  readonly needsApproval?: boolean | Predicate<Out<P>>
  readonly timeoutMs?: number
  /** Returns `ok(…)` or `fail(…)`; a bare value is a success, and so is nothing. */
  handler(params: Out<P>, context: ToolContext): ToolAnswer<V> | Promise<ToolAnswer<V>>
  /** How the model sees the value; JSON when absent. */
  render?(value: V): string
}

/** A tool as `tool()` returns it, checked and ready for a section. */
export interface Tool<
  N extends string = string,
  P extends Schema | undefined = Schema | undefined,
  V = unknown,
> extends ToolDefinition<N, P, V> {
  /** JSON Schema of the parameters, as the model gets it. */
  readonly inputSchema: JsonSchema
}

const namePattern = /^[a-z0-9_-]{1,64}$/
const reserved = new Set(['open_sections', 'read_section', 'submit_output'])

const toolShape: Shape = {
  name: 'text',
  description: 'text',
  handler: 'function',
  params: 'any?',
  result: 'any?',
  examples: 'list?',
  needsApproval: 'any?',
  timeoutMs: 'any?',
  render: 'function?',
  // Of a tool that is spread into another.
  inputSchema: 'object?',
}

/** Declares a tool. Its failure, of any kind, is an answer to the model. */
export function tool<const N extends string, P extends Schema | undefined = undefined, V = unknown>(
  definition: ToolDefinition<N, P, V>,
): Tool<N, P, V> {
  assertShape('a tool', definition, toolShape)
  const { name, description } = definition
  if (!namePattern.test(name))
    throw new PromptDefinitionError(`"${name}" cannot be the name of a tool.`, {
      hint: 'Use 1 to 64 of a-z, 0-9, "_" and "-".',
    })
  // createAgent (langchain 1.5.14) takes a call to "extract-…" for its own structured output and drops it.
  if (reserved.has(name) || name.startsWith('extract-'))
    throw new PromptDefinitionError(`The tool name "${name}" is reserved.`, { hint: 'Choose another name.' })
  if (description.trim() === '' || description.length > 200)
    throw new PromptDefinitionError(`The description of the tool "${name}" must have 1 to 200 characters.`, {
      hint: 'Say what it does in a sentence; put the rest into the section that carries the tool.',
    })
  if (definition.timeoutMs !== undefined && !(definition.timeoutMs > 0))
    throw new PromptDefinitionError(`The timeout of the tool "${name}" must be positive.`, {
      hint: 'Leave timeoutMs out for none.',
    })
  return defineTool(definition)
}

/** Without the checks: for the tools of this package, whose names are reserved. */
export function defineTool<N extends string, P extends Schema | undefined, V>(
  definition: ToolDefinition<N, P, V>,
): Tool<N, P, V> {
  return { ...definition, inputSchema: schemaOfParams(definition.name, definition.params) }
}

function schemaOfParams(name: string, params: Schema | undefined): JsonSchema {
  if (params === undefined) return { type: 'object', properties: {}, additionalProperties: false }
  const schema = modelSchemaOf(params, `the parameters of the tool "${name}"`)
  if (schema['type'] !== 'object')
    throw new PromptDefinitionError(`The parameters of the tool "${name}" are not an object.`, {
      hint: 'Models call tools with named arguments: wrap the value in an object schema.',
    })
  return closeObjects({ properties: {}, ...schema })
}
