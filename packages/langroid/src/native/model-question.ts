import { isRecord, type Json, type JsonObject, type ModelInput, type RawMessage } from '@clewline/core'
import { completionBody } from './completion-body.ts'
import type { LanguageModel, ModelRequest } from './language-model.ts'

/** What a model call depends on, for the record. */
export interface ModelQuestion {
  readonly input: ModelInput
  readonly params: JsonObject
}

export function modelQuestion(model: LanguageModel, request: ModelRequest): ModelQuestion {
  return questionOf({ ...model.params, ...completionBody(request) })
}

/** From the body of a request for chat completions. A message keeps its fields, its role as LangChain's `type`. */
export function questionOf(body: JsonObject): ModelQuestion {
  const { messages, tools, tool_choice, response_format, ...params } = body
  const offered = listOf(tools)
  return {
    input: {
      messages: listOf(messages).filter(isJsonObject).map(rawMessage),
      ...(offered.length > 0 && { tools: offered }),
      ...(tool_choice !== undefined && { tool_choice }),
      ...(response_format !== undefined && { response_format }),
    },
    params: { ...params, ...(offered.length > 0 && { tools: offered.map(toolName) }) },
  }
}

const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : [])
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
const isJsonObject = (value: Json): value is JsonObject => isRecord(value)

function toolName(tool: Json): string {
  const inner = isRecord(tool) && isRecord(tool['function']) ? tool['function']['name'] : ''
  return typeof inner === 'string' ? inner : ''
}

const TYPES: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai' }

const known = new WeakMap<JsonObject, RawMessage>()

/** Memoised: a message that is sent again is the same object, so that a log looks at it once. */
function rawMessage(message: JsonObject): RawMessage {
  const { role, content = null, ...fields } = message
  const type = typeof role === 'string' ? role : 'user'
  const made = known.get(message) ?? { type: TYPES[type] ?? type, content, ...fields }
  known.set(message, made)
  return made
}
