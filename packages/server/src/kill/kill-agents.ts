import { setTimeout as sleep } from 'node:timers/promises'
import { AIMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { type Script, scriptedModel } from '@clewline/langgraph/testing'
import { z } from 'zod'
import { chatGraph } from '../testing/chat-graph.ts'

const words = (n: number): string => Array.from({ length: n }, (_, i) => `word${i} `).join('')

/** Agents that are busy in every way a process can be killed in: tokens, a tool, checkpoints, a sub-agent, a question. */
export const killAgents = {
  stream: chatGraph([{ text: words(80), delayMs: 4 }]),
  tools: toolsGraph(),
  steps: stepsGraph(),
  nested: nestedGraph(),
  team: teamGraph(),
  ask: askGraph(),
  /** For readers by the thousand. */
  flood: chatGraph([{ text: Array.from({ length: 10_000 }, (_, i) => ` tok${i % 100}`) }]),
}

function toolsGraph() {
  const slow = tool(
    async ({ n }: { n: number }) => {
      await sleep(60)
      return `looked up ${n}`
    },
    { name: 'lookup', description: 'Looks something up.', schema: z.object({ n: z.number() }) },
  )
  return toolLoop(slow, [
    {
      text: words(5),
      delayMs: 3,
      toolCalls: [
        { name: 'lookup', args: { n: 1 } },
        { name: 'lookup', args: { n: 2 } },
      ],
    },
    { text: words(10), delayMs: 3 },
  ])
}

/** A model and its tool, until the model asks for it no more. */
function toolLoop(only: StructuredToolInterface, script: Script) {
  const model = scriptedModel(script).bindTools([only])
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async (state) => ({ messages: [await model.invoke(state.messages)] }))
    .addNode('tools', new ToolNode([only]))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) => {
      const last = messages.at(-1)
      return last instanceof AIMessage && (last.tool_calls?.length ?? 0) > 0 ? 'tools' : END
    })
    .addEdge('tools', 'agent')
    .compile()
}

function stepsGraph() {
  const Steps = Annotation.Root({ n: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }) })
  return new StateGraph(Steps)
    .addNode('step', async () => {
      await sleep(5)
      return { n: 1 }
    })
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ n }) => (n < 20 ? 'step' : END))
    .compile()
}

function nestedGraph() {
  const inner = chatGraph([{ text: words(30), delayMs: 4 }])
  return new StateGraph(MessagesAnnotation)
    .addNode('before', async () => ({}))
    .addNode('researcher', inner)
    .addNode('after', async () => ({}))
    .addEdge(START, 'before')
    .addEdge('before', 'researcher')
    .addEdge('researcher', 'after')
    .addEdge('after', END)
    .compile()
}

/** A sub-agent behind a tool: its model streams inside the tool call. */
function teamGraph() {
  const researcher = chatGraph([{ text: words(30), delayMs: 4 }])
  const task = tool(
    async ({ description }: { description: string }) => {
      const { messages } = await researcher.invoke({ messages: [{ role: 'user', content: description }] })
      return String(messages.at(-1)?.text)
    },
    {
      name: 'task',
      description: 'Hands work to a researcher.',
      schema: z.object({ description: z.string() }),
    },
  )
  return toolLoop(task, [
    {
      text: words(3),
      delayMs: 3,
      toolCalls: [
        { name: 'task', args: { description: 'one' } },
        { name: 'task', args: { description: 'two' } },
      ],
    },
    { text: words(10), delayMs: 3 },
  ])
}

function askGraph() {
  const model = scriptedModel([{ text: words(10), delayMs: 4 }])
  return new StateGraph(MessagesAnnotation)
    .addNode('think', async (state) => ({ messages: [await model.invoke(state.messages)] }))
    .addNode('ask', async () => {
      const answer: unknown = interrupt({ question: 'Go on?' })
      await sleep(20)
      return { messages: [{ role: 'user', content: `answer: ${JSON.stringify(answer)}` }] }
    })
    .addEdge(START, 'think')
    .addEdge('think', 'ask')
    .addEdge('ask', END)
    .compile()
}
