import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { SystemMessage } from '@langchain/core/messages'
import { createMiddleware, type AgentMiddleware } from 'langchain'
import { answerFailures } from './answer-failures.ts'
import { answerOpenCalls } from './answer-open-calls.ts'
import { composePrompt } from './base-prompt.ts'
import { evictResults } from './evict-results.ts'
import type { Keeper } from './keep-file.ts'
import { readMemory } from './read-memory.ts'
import { summarise, type SummariseOptions } from './summarise.ts'

interface Guarded extends Keeper {
  readonly name: string
  readonly model: BaseChatModel
  readonly maxResultLength: number
  readonly summarise: SummariseOptions | false
  /** Files on disk that are added to the system prompt. */
  readonly memory: readonly string[]
}

/**
 * What stands around every model and tool call of an agent. One middleware: each that wraps a call costs it a tenth of
 * a millisecond, whatever it does.
 */
export function guardCalls(agent: Guarded): AgentMiddleware {
  const evict = evictResults(agent.maxResultLength, agent)
  const shorten = agent.summarise === false ? undefined : summarise(agent.model, agent.summarise, agent)
  return createMiddleware({
    name: 'GuardCalls',
    async wrapModelCall(given, handler) {
      const request = agent.memory.length === 0 ? given : await withMemory(given, agent.memory)
      return shorten === undefined
        ? answerOpenCalls(request, handler)
        : shorten(request, (next) => answerOpenCalls({ ...request, ...next }, handler))
    },
    wrapToolCall: (request, handler) => evict(request, (next) => answerFailures(next, handler)),
  })
}

async function withMemory<T extends { readonly systemMessage: SystemMessage }>(
  request: T,
  paths: readonly string[],
): Promise<T> {
  const prompt = composePrompt(request.systemMessage.text, await readMemory(paths))
  return { ...request, systemMessage: new SystemMessage(prompt) }
}
