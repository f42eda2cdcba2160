import { SkeinError } from '@skein/core'

/** The parts of LangChain that adapters use. */
export interface LangChain {
  readonly agents: typeof import('langchain')
  readonly graphs: typeof import('@langchain/langgraph')
  readonly messages: typeof import('@langchain/core/messages')
  readonly tools: typeof import('@langchain/core/tools')
  readonly callbacks: typeof import('@langchain/core/callbacks/base')
  readonly models: typeof import('@langchain/core/language_models/chat_models')
  readonly contexts: typeof import('@langchain/core/singletons')
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
  const [agents, graphs, messages, tools, callbacks, models, contexts] = await Promise.all([
    optional(() => import('langchain')),
    optional(() => import('@langchain/langgraph')),
    optional(() => import('@langchain/core/messages')),
    optional(() => import('@langchain/core/tools')),
    optional(() => import('@langchain/core/callbacks/base')),
    optional(() => import('@langchain/core/language_models/chat_models')),
    optional(() => import('@langchain/core/singletons')),
  ])
  return { agents, graphs, messages, tools, callbacks, models, contexts }
}

/** Imports a peer that may be missing, and says what to install when it is. */
export async function optional<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!missing) throw cause
    throw new SkeinError('unavailable', 'LangGraph is needed to evaluate prompts, and it is not installed.', {
      hint: 'Run: npm install langchain @langchain/langgraph @langchain/core',
      cause,
    })
  }
}
