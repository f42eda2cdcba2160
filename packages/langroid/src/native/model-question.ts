import type { Json, JsonObject, ModelInput, RawMessage } from '@clewline/core'
import { completionBody } from './completion-body.ts'
import type { LanguageModel, ModelRequest } from './language-model.ts'

/** What a model call depends on, for the record. */
export interface ModelQuestion {
  readonly input: ModelInput
  readonly params: JsonObject
}

/** As the provider gets it. A message has the fields of chat completions, its role as LangChain's `type`. */
export function modelQuestion(model: LanguageModel, request: ModelRequest): ModelQuestion {
  const { messages, ...asked } = completionBody(request)
  const { tools, tool_choice, response_format, ...params }: QuestionFields = { ...model.params, ...asked }
  return {
    input: {
      messages: messages.map(rawMessage),
      ...(tools !== undefined && { tools }),
      ...(tool_choice !== undefined && { tool_choice }),
      ...(response_format !== undefined && { response_format }),
    },
    params: {
      ...params,
      ...(request.tools.length > 0 && { tools: request.tools.map(({ name }) => name) }),
    },
  }
}

type QuestionFields = Readonly<Record<string, Json>> & {
  readonly tools?: readonly Json[]
}

const TYPES: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai' }

const known = new WeakMap<JsonObject, RawMessage>()

function rawMessage(message: JsonObject): RawMessage {
  const { role, content = null, ...fields } = message
  const type = String(role)
  const made = known.get(message) ?? { type: TYPES[type] ?? type, content, ...fields }
  known.set(message, made)
  return made
}
