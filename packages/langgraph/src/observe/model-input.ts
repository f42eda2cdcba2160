import { coerce, isRecord, type Json, type JsonObject, type ModelInput } from '@clewline/core'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { isLangChainTool } from '@langchain/core/tools'
import { rawOf } from '../record/record-value.ts'

/** What a model call is given, as LangChain's callbacks have it. */
export interface Asked {
  /** Undefined where a recorded stream does not have them. */
  readonly messages: readonly unknown[] | undefined
  /** As the provider gets them. */
  readonly params: Readonly<Record<string, unknown>>
  /** As they were given to LangChain: for models that do not say what the provider gets. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Parameters that are part of the question, not of how it is answered. */
const ASKED = new Set(['tools', 'tool_choice', 'response_format'])

/** The question; undefined when it is not known. */
export function modelInput({ messages, params, options }: Asked): ModelInput | undefined {
  if (messages === undefined) return undefined
  const given = (name: string): unknown => params[name] ?? options[name]
  const tools = given('tools')
  const tool_choice = given('tool_choice')
  const response_format = given('response_format')
  return {
    messages: messages.map(rawOf),
    ...(Array.isArray(tools) && tools.length > 0 && { tools: tools.map(toolForm) }),
    ...(tool_choice !== undefined && { tool_choice: coerce(tool_choice) }),
    ...(response_format !== undefined && { response_format: coerce(response_format) }),
  }
}

/** Everything else: sampling, limits, the provider. Of the tools only the names, for readers that do not ask for inputs. */
export function modelParams(
  { params, options }: Asked,
  metadata: Readonly<Record<string, unknown>>,
): JsonObject {
  const tools = params['tools'] ?? options['tools']
  const all: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(params).filter(([name]) => !ASKED.has(name))),
    provider: metadata['ls_provider'],
    temperature: metadata['ls_temperature'] ?? params['temperature'],
    max_tokens: metadata['ls_max_tokens'] ?? params['max_tokens'],
    stop: metadata['ls_stop'] ?? params['stop'],
    tool_choice: params['tool_choice'],
    tools: Array.isArray(tools) && tools.length > 0 ? tools.map(toolName) : undefined,
  }
  const present = Object.entries(all).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(present.map(([key, value]) => [key, coerce(value)]))
}

const forms = new WeakMap<object, Json>()

/** A tool with the JSON Schema of its arguments, however its schema is written. Making that takes a millisecond. */
function toolForm(tool: unknown): Json {
  if (!isRecord(tool) || !isLangChainTool(tool)) return coerce(tool)
  let form = forms.get(tool)
  if (form === undefined) {
    form = coerce(convertToOpenAITool(tool))
    forms.set(tool, form)
  }
  return form
}

function toolName(tool: unknown): string {
  if (!isRecord(tool)) return ''
  const inner = isRecord(tool['function']) ? tool['function'] : tool
  return typeof inner['name'] === 'string' ? inner['name'] : ''
}
