// The graphs of the test server. Plain JavaScript on purpose: the server reads TypeScript graphs through its own compiler.
import { AIMessageChunk } from '@langchain/core/messages'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'

class Model extends BaseChatModel {
  constructor(answer) {
    super({})
    this.answer = answer
  }

  _llmType() {
    return 'remote'
  }

  getLsParams(options) {
    return { ...super.getLsParams(options), ls_model_name: 'remote-model' }
  }

  async _generate(messages, options, manager) {
    let all
    for await (const chunk of this._streamResponseChunks(messages, options, manager))
      all = all?.concat(chunk) ?? chunk
    return { generations: [all] }
  }

  async *_streamResponseChunks(messages, options, manager) {
    const { words = [], calls = [], delayMs = 0, error } = this.answer(messages)
    const pieces = [
      ...words.map((content) => ({ content })),
      ...calls.map((call, index) => ({
        content: '',
        tool_call_chunks: [
          { type: 'tool_call_chunk', index, id: call.id, name: call.name, args: JSON.stringify(call.args) },
        ],
      })),
      {
        content: '',
        usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
        response_metadata: { finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' },
      },
    ]
    for (const fields of pieces) {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      options.signal?.throwIfAborted()
      const message = new AIMessageChunk(fields)
      const chunk = new ChatGenerationChunk({ text: message.text, message })
      yield chunk
      await manager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
    if (error !== undefined) throw new Error(error)
  }
}

const said = (messages) => messages.findLast((message) => message.getType() === 'human')?.text ?? ''
const isAnswered = (messages) => messages.at(-1)?.getType() === 'tool'

const speak = (model) => async (state) => ({ messages: [await model.invoke(state.messages)] })

function loop(name, model, tools) {
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', speak(model))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', toolsCondition)
    .addEdge('tools', 'agent')
    .compile({ name })
}

const approve = tool(async ({ q }) => `they said ${JSON.stringify(interrupt({ about: q }))}`, {
  name: 'approve',
  description: 'asks a human',
  schema: z.object({ q: z.string() }),
})

const helper = loop('helper', new Model(() => ({ words: ['I ', 'help'] })), [approve])

const task = tool(
  async ({ goal }, config) => {
    const state = await helper.invoke({ messages: [{ role: 'user', content: goal }] }, config)
    return state.messages.at(-1).text
  },
  { name: 'task', description: 'hands work on', schema: z.object({ goal: z.string() }) },
)

const model = new Model((messages) => {
  if (isAnswered(messages)) return { words: ['all ', 'done'] }
  if (said(messages) === 'ask') return { calls: [{ id: 'a1', name: 'approve', args: { q: 'lunch' } }] }
  if (said(messages) === 'help') return { calls: [{ id: 't1', name: 'task', args: { goal: 'dig' } }] }
  if (said(messages) === 'fail') return { words: ['oh'], error: 'the provider is down' }
  if (said(messages) === 'slow') return { words: Array.from({ length: 60 }, (_, i) => `w${i} `), delayMs: 10 }
  return { words: ['hello ', said(messages)] }
})

export const graph = loop('chat', model, [approve, task])
