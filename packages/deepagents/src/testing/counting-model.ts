import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import type { Call } from './model-server.ts'

/** What a scripted model says in its n-th turn. Summaries are asked for in between and do not count. */
export type Turns = (turn: number, messages: readonly BaseMessage[]) => string | readonly Call[]

/** A model in this process that remembers how large its requests were, in characters. */
export class CountingModel extends BaseChatModel {
  readonly sizes: number[] = []
  summaries = 0
  #turn = 0
  readonly #turns: Turns

  constructor(turns: Turns) {
    super({})
    this.#turns = turns
  }

  override _llmType(): string {
    return 'counting'
  }

  override bindTools(): this {
    return this
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.sizes.push(messages.reduce((sum, message) => sum + lengthOf(message), 0))
    const isSummary = messages[0]?.text.includes('Context Extraction Assistant') === true
    if (isSummary) {
      this.summaries += 1
      return answer(new AIMessage('The work so far went well.'))
    }
    const said = this.#turns(this.#turn, messages)
    this.#turn += 1
    if (typeof said === 'string') return answer(new AIMessage(said))
    const tool_calls = said.map(({ name, args, id }, index) => ({
      name,
      args: { ...args },
      id: id ?? `call_${this.#turn}_${index}`,
      type: 'tool_call' as const,
    }))
    return answer(new AIMessage({ content: '', tool_calls }))
  }
}

function lengthOf(message: BaseMessage): number {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
  return message.text.length + JSON.stringify(calls).length
}

function answer(message: AIMessage): ChatResult {
  return { generations: [{ text: message.text, message }] }
}
