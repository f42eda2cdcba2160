import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { ModelProfile } from '@langchain/core/language_models/profile'
import type { AIMessageChunk } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { chooseDefaultModel, chooseNamedModel, type ModelChoice } from './choose-model.ts'
import { explainModelError } from './explain-model-error.ts'
import { loadModel, loadProfile, withSettings } from './load-model.ts'

type Settings = Readonly<Record<string, unknown>>

/**
 * A model from an instance, from `"provider:model"`, or from the environment when nothing is given. Names are checked
 * now; the provider's package is loaded, and the provider asked, at the first call.
 */
export function resolveModel(model?: string | BaseChatModel, settings: Settings = {}): BaseChatModel {
  if (model !== undefined && typeof model !== 'string') {
    return Object.keys(settings).length === 0 ? model : withSettings(model, settings)
  }
  const choice = model === undefined ? chooseDefaultModel(process.env) : chooseNamedModel(model, process.env)
  let loading: Promise<BaseChatModel> | undefined
  let profile: ModelProfile | undefined
  return new DeferredChatModel(choice, {
    load: () => (loading ??= loadModel(choice, settings)),
    profile: () => (profile ??= loadProfile(choice, settings)),
  })
}

interface Loader {
  load(): Promise<BaseChatModel>
  profile(): ModelProfile
}

type LoadedModel = Runnable<BaseLanguageModelInput, AIMessageChunk>

/** Stands for a model that is not loaded yet; calls, callbacks and streaming are the loaded model's own. */
class DeferredChatModel extends BaseChatModel {
  readonly #choice: ModelChoice
  readonly #loader: Loader
  readonly #bind: (model: BaseChatModel) => LoadedModel

  constructor(
    choice: ModelChoice,
    loader: Loader,
    bind: (model: BaseChatModel) => LoadedModel = (model) => model,
  ) {
    super({})
    this.#choice = choice
    this.#loader = loader
    this.#bind = bind
  }

  override lc_namespace = ['deepagents']

  override _llmType(): string {
    return 'deferred'
  }

  override get profile(): ModelProfile {
    return this.#loader.profile()
  }

  override bindTools(tools: BindToolsInput[], kwargs?: Partial<this['ParsedCallOptions']>): LoadedModel {
    return new DeferredChatModel(
      this.#choice,
      this.#loader,
      (model) => model.bindTools?.(tools, kwargs) ?? model,
    )
  }

  override async invoke(
    input: BaseLanguageModelInput,
    options?: Partial<this['ParsedCallOptions']>,
  ): Promise<AIMessageChunk> {
    try {
      return await this.#bind(await this.#loader.load()).invoke(input, options)
    } catch (error) {
      throw explainModelError(error, this.#choice)
    }
  }

  override async _generate(
    ...[messages, options, runManager]: Parameters<BaseChatModel['_generate']>
  ): Promise<ChatResult> {
    try {
      return await (await this.#loader.load())._generate(messages, options, runManager)
    } catch (error) {
      throw explainModelError(error, this.#choice)
    }
  }
}
