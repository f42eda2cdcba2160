import { ClewlineError, isRecord } from '@clewline/core'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { messageOf } from '../events/delivery.ts'
import type { LangChain } from './load-langchain.ts'

/** Settings of a model that is given by name. Only those that are set are sent. */
interface LLMConfig {
  readonly temperature?: number
  readonly maxTokens?: number
  readonly topP?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly stop?: readonly string[]
  readonly seed?: number
}

export interface ModelConfig extends LLMConfig {
  /** Makes the model `{provider}:{model}`. */
  readonly modelProvider?: string
  /** Whether the model may ask for several tools at once. */
  readonly parallelToolCalls?: boolean
  /** Passed to the client as it is: `apiKey`, `baseUrl`, `configuration` … */
  readonly client?: Readonly<Record<string, unknown>>
}

/** A chat model as it is, or by name: any provider that LangChain's `initChatModel` knows. */
export async function loadChatModel(
  lc: LangChain,
  model: string | BaseChatModel,
  config: ModelConfig,
): Promise<BaseChatModel> {
  const { modelProvider, parallelToolCalls: _, client, ...settings } = config
  if (typeof model !== 'string') {
    if (!isRecord(model) || typeof model['invoke'] !== 'function')
      throw new ClewlineError('bad-config', 'The model of the adapter is no chat model.', {
        hint: 'Pass a name, such as "openai:gpt-5-mini", or a chat model of LangChain.',
      })
    const strays = Object.keys({
      ...(modelProvider !== undefined && { modelProvider }),
      ...settings,
      ...client,
    })
    if (strays.length > 0)
      throw new ClewlineError(
        'bad-config',
        `modelConfig cannot change a model that is already made (${strays.join(', ')}).`,
        {
          hint: 'Set these on the model itself, or give the adapter the name of the model.',
        },
      )
    return model
  }
  const id = modelProvider === undefined ? model : `${modelProvider}:${model}`
  try {
    // Retries are ours: the six of LangChain's caller would nest inside them.
    const made = await lc.agents.initChatModel(id, {
      maxRetries: 0,
      ...settings,
      ...ollama(id, config),
      ...client,
    })
    return await made._getModelInstance()
  } catch (cause) {
    const message = messageOf(cause)
    const missing =
      /Unable to import (\S+?)\.?\s/.exec(message)?.[1] ?? /package '([^']+)'/.exec(message)?.[1]
    const reason = missing === undefined ? message : `the package ${missing} is not installed.`
    throw new ClewlineError('bad-config', `The model "${id}" cannot be made: ${reason}`, {
      hint:
        missing === undefined
          ? 'Name the provider: modelConfig: { modelProvider: "openai" }, or pass a chat model.'
          : `Run: npm install ${missing}`,
      cause,
    })
  }
}

const ollama = (id: string, { maxTokens }: ModelConfig) =>
  id.startsWith('ollama:') && maxTokens !== undefined ? { numPredict: maxTokens } : {}
