import { ClewlineError } from '@clewline/core'
import type * as callbacks from '@langchain/core/callbacks/base'
import type * as models from '@langchain/core/language_models/chat_models'
import type * as messages from '@langchain/core/messages'
import type * as runnables from '@langchain/core/runnables'
import type * as contexts from '@langchain/core/singletons'
import type * as tools from '@langchain/core/tools'
import type * as graphs from '@langchain/langgraph'
import type * as agents from 'langchain'

/** The parts of LangChain that adapters use. */
export interface LangChain {
  readonly agents: typeof agents
  readonly graphs: typeof graphs
  readonly messages: typeof messages
  readonly tools: typeof tools
  readonly callbacks: typeof callbacks
  readonly models: typeof models
  readonly runnables: typeof runnables
  readonly contexts: typeof contexts
}

let loaded: Promise<LangChain> | undefined

/** LangChain is an optional peer: loaded when it is first used, once. */
export function loadLangChain(): Promise<LangChain> {
  loaded ??= importLangChain()
  // A failure is not kept: the packages may be installed while the process runs.
  loaded.catch(() => (loaded = undefined))
  return loaded
}

async function importLangChain(): Promise<LangChain> {
  return {
    agents: await optional(() => import('langchain')),
    graphs: await optional(() => import('@langchain/langgraph')),
    messages: await optional(() => import('@langchain/core/messages')),
    tools: await optional(() => import('@langchain/core/tools')),
    callbacks: await optional(() => import('@langchain/core/callbacks/base')),
    models: await optional(() => import('@langchain/core/language_models/chat_models')),
    runnables: await optional(() => import('@langchain/core/runnables')),
    contexts: await optional(() => import('@langchain/core/singletons')),
  }
}

/** Imports a peer that may be missing, and says what to install when it is. */
export async function optional<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!missing) throw cause
    throw new ClewlineError(
      'unavailable',
      'LangGraph is needed to evaluate prompts, and it is not installed.',
      {
        hint: 'Run: npm install langchain @langchain/langgraph @langchain/core',
        cause,
      },
    )
  }
}
