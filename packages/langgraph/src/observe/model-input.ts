import { coerce, isRecord, type Json, type JsonObject, type ModelInput } from '@clewline/core'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { isLangChainTool } from '@langchain/core/tools'
import { rawOf } from '../record/record-value.ts'
import { streamedTools } from './streamed-tools.ts'

/** What a model call is given, as LangChain's callbacks have it. */
export interface Asked {
  /** Undefined where a recorded stream does not have them. */
  readonly messages: readonly unknown[] | undefined
  /** As the provider gets them. */
  readonly params: Readonly<Record<string, unknown>>
  /** As they were given to LangChain: for models that do not say what the provider gets. */
  readonly options: Readonly<Record<string, unknown>>
  /** Whether its answer is streamed, as far as that is known. */
  readonly isStreamed?: boolean
}

/** Parameters that are part of the question, not of how it is answered. */
const ASKED = new Set(['tools', 'tool_choice', 'response_format', 'format'])

/** The settings in which providers have the format of the answer among others: the Responses API, Anthropic. */
const FORMATTED = ['text', 'output_config'] as const

/** The question; undefined when it is not known. */
export function modelInput({ messages, params, options, isStreamed }: Asked): ModelInput | undefined {
  if (messages === undefined) return undefined
  const given = sent(params, options)
  const { tool_choice } = given
  const tools = isStreamed === true ? streamedTools(given, options) : given['tools']
  const response_format = formatIn(given)
  return {
    messages: messages.map(rawOf),
    ...(Array.isArray(tools) && tools.length > 0 && { tools: tools.map(toolForm) }),
    ...(isSet(tool_choice) && { tool_choice: coerce(tool_choice) }),
    ...(isSet(response_format) && { response_format: coerce(response_format) }),
  }
}

/** Everything else: sampling, limits, the provider. Of the tools only the names, for readers that do not ask for inputs. */
export function modelParams(
  { params, options }: Asked,
  metadata: Readonly<Record<string, unknown>>,
): JsonObject {
  const { tools, tool_choice } = sent(params, options)
  const all: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(params).filter(([name]) => !ASKED.has(name))),
    ...Object.fromEntries(FORMATTED.map((name) => [name, withoutFormat(params[name])])),
    provider: metadata['ls_provider'],
    temperature: metadata['ls_temperature'] ?? params['temperature'],
    max_tokens: metadata['ls_max_tokens'] ?? params['max_tokens'],
    stop: metadata['ls_stop'] ?? params['stop'],
    tool_choice,
    tools: Array.isArray(tools) && tools.length > 0 ? tools.map(toolName) : undefined,
  }
  const present = Object.entries(all).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present.map(([key, value]) => [key, coerce(value)]))
}

/**
 * What the provider gets. A model that speaks of tools at all says all of it, and what it leaves out of the options is
 * not sent (Ollama knows no choice of tools); of any other model the options are all that is known.
 */
function sent(params: Asked['params'], options: Asked['options']): Readonly<Record<string, unknown>> {
  return 'tools' in params ? params : { ...options, ...params }
}

/** Under the name that the provider has for it: OpenAI, the Responses API, Anthropic, Ollama. */
function formatIn(given: Readonly<Record<string, unknown>>): unknown {
  const inside = FORMATTED.map((name) => given[name]).find(
    (outer) => isRecord(outer) && isSet(outer['format']),
  )
  return given['response_format'] ?? (isRecord(inside) ? inside['format'] : undefined) ?? given['format']
}

function withoutFormat(outer: unknown): unknown {
  if (!isRecord(outer) || !isSet(outer['format'])) return outer
  const { format: _asked, ...rest } = outer
  return Object.values(rest).some(isSet) ? rest : undefined
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null

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
