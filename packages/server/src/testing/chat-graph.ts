import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { type Script, scriptedModel } from '@clewline/langgraph/testing'

/** The smallest real graph: one node that asks a scripted model. */
export function chatGraph(script: Script = [{ text: 'hello there' }]) {
  const model = scriptedModel(script)
  return new StateGraph(MessagesAnnotation)
    .addNode('chat', async (state) => ({ messages: [await model.invoke(state.messages)] }))
    .addEdge(START, 'chat')
    .addEdge('chat', END)
    .compile()
}

export const userSays = (content: string) => ({ messages: [{ role: 'user', content }] })
