// Graphs of the connect suites, in plain JavaScript because the LangGraph server loads them by path.
import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { interrupt, MessagesValue, Send, StateGraph, StateSchema } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'
import { z } from 'zod'

function model() {
  return new ChatOpenAI({
    model: 'gpt-4o-mini',
    apiKey: 'none',
    configuration: { baseURL: `${process.env.LLM_URL}/v1` },
    streaming: true,
  })
}

// Not Annotation: its schema is only in the types, and the server runs the TypeScript compiler over this file to find
// it, for half a minute a graph and in vain, as it takes none newer than 5 (langgraph-api 1.5.1).
const Messages = new StateSchema({ messages: MessagesValue })

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Says what aimock says to the last message, or to `prompt`. */
function speak(prompt) {
  return async ({ messages }) => ({
    messages: [await model().invoke(prompt === undefined ? messages : [{ role: 'user', content: prompt }])],
  })
}

export const chat = new StateGraph(Messages).addNode('model', speak()).addEdge('__start__', 'model').compile()

const search = tool(
  async ({ q }) => {
    await sleep(150)
    return `found ${q}`
  },
  { name: 'search', description: 'Looks something up.', schema: z.object({ q: z.string() }) },
)

export const tools = createAgent({ model: model(), tools: [search] })

const weigh = tool(
  async ({ what }) => {
    await sleep(350)
    return `${what} weighs 7`
  },
  { name: 'weigh', description: 'Weighs something.', schema: z.object({ what: z.string() }) },
)

/** Calls both tools at once. */
export const pair = createAgent({ model: model(), tools: [search, weigh] })

const side = (prompt) =>
  new StateGraph(Messages).addNode('say', speak(prompt)).addEdge('__start__', 'say').compile()

export const parallel = new StateGraph(Messages)
  .addNode('left', side('say left'))
  .addNode('right', side('say right'))
  .addEdge('__start__', 'left')
  .addEdge('__start__', 'right')
  .compile()

const wrap = (inner) =>
  new StateGraph(Messages).addNode('inner', inner).addEdge('__start__', 'inner').compile()

export const nested = wrap(wrap(side('say deep')))

export const fanout = new StateGraph(Messages)
  .addNode('worker', speak('say worker'))
  .addNode('plan', () => ({}))
  .addEdge('__start__', 'plan')
  .addConditionalEdges('plan', ({ messages }) => [1, 2, 3].map(() => new Send('worker', { messages })), [
    'worker',
  ])
  .compile()

export const asks = new StateGraph(new StateSchema({ messages: MessagesValue, note: z.string().optional() }))
  .addNode('model', speak())
  .addNode('ask', () => ({ note: interrupt({ question: 'Sure?' }) }))
  .addEdge('__start__', 'model')
  .addEdge('model', 'ask')
  .compile()

export const fails = new StateGraph(Messages)
  .addNode('model', speak())
  .addNode('boom', async () => {
    await sleep(50)
    throw new Error('boom')
  })
  .addEdge('__start__', 'model')
  .addEdge('model', 'boom')
  .compile()

/** Makes messages without a model. */
export const plain = new StateGraph(Messages)
  .addNode('one', async () => {
    await sleep(300)
    return { messages: [new AIMessage({ id: 'plain-1', content: 'one' })] }
  })
  .addNode('two', async () => {
    await sleep(300)
    return { messages: [new AIMessage({ id: 'plain-2', content: 'two' })] }
  })
  .addEdge('__start__', 'one')
  .addEdge('one', 'two')
  .compile()
