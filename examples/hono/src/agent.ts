import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { scriptedModel } from '@clewline/langgraph/testing'

// Any chat model will do; this one answers without a provider.
const model = scriptedModel(() => ({ text: 'Hello from inside your app.' }))

export const agent = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answer')
  .compile()
