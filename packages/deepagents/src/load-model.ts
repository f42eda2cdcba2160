import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { ModelProfile } from '@langchain/core/language_models/profile'
import type { ModelChoice } from './choose-model.ts'
import { DeepAgentError } from './deep-agent-error.ts'
import { giveUpEarly } from './explain-model-error.ts'

/** Loads the provider's package, which is an optional peer, and makes the model. */
export async function loadModel(
  choice: ModelChoice,
  settings: Readonly<Record<string, unknown>>,
): Promise<BaseChatModel> {
  return construct(await importPackage(choice), choice, settings)
}

function construct(
  module: object,
  choice: ModelChoice,
  settings: Readonly<Record<string, unknown>>,
): BaseChatModel {
  const constructor: unknown = Reflect.get(module, choice.className)
  if (typeof constructor !== 'function') {
    throw new DeepAgentError('bad-model', `${choice.package} has no ${choice.className}.`, {
      hint: `Install a current version of ${choice.package}.`,
    })
  }
  const model: unknown = Reflect.construct(constructor, [
    { onFailedAttempt: giveUpEarly, ...choice.settings, ...settings },
  ])
  if (isChatModel(model)) return model
  throw new DeepAgentError('bad-model', `${choice.className} is not a chat model.`, { hint: choice.remedy })
}

/**
 * What LangChain knows of a model before it is first called: its context size above all. The package is loaded
 * synchronously, because a profile is a property. Nothing when the package or a key is missing: the call will say so.
 */
export function loadProfile(choice: ModelChoice, settings: Readonly<Record<string, unknown>>): ModelProfile {
  for (const base of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json'))]) {
    try {
      const module: object = createRequire(base)(choice.package)
      return construct(module, choice, settings).profile
    } catch {
      continue
    }
  }
  return {}
}

/** The same model with other settings. One of `initChatModel` keeps those of the model that it will load apart. */
export function withSettings(
  model: BaseChatModel,
  settings: Readonly<Record<string, unknown>>,
): BaseChatModel {
  const { defaultConfig, ...kwargs }: Record<string, unknown> = model.lc_kwargs
  const again: unknown = Reflect.construct(model.constructor, [
    typeof defaultConfig === 'object'
      ? { ...kwargs, defaultConfig: { ...defaultConfig, ...settings } }
      : { ...kwargs, ...settings },
  ])
  if (isChatModel(again)) return again
  throw new DeepAgentError('bad-model', `${model.getName()} cannot be made again with other settings.`, {
    hint: 'Give the sub-agent a model instead of modelSettings.',
  })
}

async function importPackage(choice: ModelChoice): Promise<object> {
  try {
    return await importAny(choice.package)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  try {
    // A strict node_modules hides from this package what the project itself has installed.
    const project = createRequire(pathToFileURL(join(process.cwd(), 'package.json')))
    return await importAny(pathToFileURL(project.resolve(choice.package)).href)
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new DeepAgentError('bad-model', `The model ${choice.provider}:${choice.model} needs a package.`, {
      hint: `Run "npm install ${choice.package}".`,
      cause: error,
    })
  }
}

async function importAny(specifier: string): Promise<object> {
  const module: object = await import(specifier)
  return module
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}

function isChatModel(value: unknown): value is BaseChatModel {
  return typeof value === 'object' && value !== null && 'invoke' in value && 'bindTools' in value
}
