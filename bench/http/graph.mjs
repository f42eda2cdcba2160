// The same graph for every server: three model calls, one of them in a sub-graph, as fast as the model can.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'

class Chatterbox extends BaseChatModel {
  _llmType() {
    return 'chatterbox'
  }

  async _generate(messages, options, manager) {
    let all
    for await (const chunk of this._streamResponseChunks(messages, options, manager)) {
      all = all === undefined ? chunk : all.concat(chunk)
    }
    return { generations: [all] }
  }

  async *_streamResponseChunks(messages, _options, manager) {
    const text = messages
      .map((message) => (typeof message.content === 'string' ? message.content : ''))
      .join('\n')
    const [, total = '300', pause = '0'] = /tokens=(\d+)(?: pause=(\d+))?/.exec(text) ?? []
    const count = Math.floor(Number(total) / 3)
    for (let i = 0; i < count; i++) {
      if (Number(pause) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pause)))
      const content = ` tok${i % 100}`
      const chunk = new ChatGenerationChunk({
        text: content,
        message: new AIMessageChunk({ content, id: 'x' }),
      })
      yield chunk
      await manager?.handleLLMNewToken(content, undefined, undefined, undefined, undefined, { chunk })
    }
  }
}

const ask = async (state) => {
  const answer = await new Chatterbox({}).invoke(state.messages.slice(0, 1))
  return { messages: [{ role: 'assistant', content: answer.text.slice(0, 1000) }] }
}

const researcher = new StateGraph(MessagesAnnotation)
  .addNode('search', ask)
  .addEdge(START, 'search')
  .addEdge('search', END)
  .compile()

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('plan', ask)
  .addNode('researcher', researcher)
  .addNode('write', ask)
  .addEdge(START, 'plan')
  .addEdge('plan', 'researcher')
  .addEdge('researcher', 'write')
  .addEdge('write', END)
  .compile()
