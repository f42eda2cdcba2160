import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { fromGraph, streamRun } from '@clewline/langgraph'
import { scriptedModel } from '@clewline/langgraph/testing'

// Any chat model will do; this one answers without a provider.
const model = scriptedModel([{ text: 'Hello from inside the graph.' }])

const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answer')
  .compile({ name: 'hello' })

const input = { messages: [{ role: 'user', content: 'Who is there?' }] }

for await (const { type, agent, payload } of streamRun(fromGraph(graph), { input }))
  console.log(type, agent, JSON.stringify(payload))
