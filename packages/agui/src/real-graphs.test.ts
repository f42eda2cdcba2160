import { EventType } from '@ag-ui/core'
import { HttpAgent } from '@ag-ui/client'
import { HttpAgent as HttpAgentV0 } from '@ag-ui/client-v0'
import type { Event } from '@ag-ui/core'
import { AIMessage } from '@langchain/core/messages'
// oxlint-disable-next-line no-restricted-imports -- the judge here is a real graph
import { Annotation, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
// oxlint-disable-next-line no-restricted-imports -- the judge here is a real graph
import { fromGraph } from '@clewline/langgraph'
// oxlint-disable-next-line no-restricted-imports -- the judge here is a real graph
import { scriptedModel } from '@clewline/langgraph/testing'
import { createAgent, tool } from 'langchain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ConnectableHttpAgent } from './client/index.ts'
import { judge, wire } from './testing/judge.ts'
import { memoryThreads } from './memory-threads.ts'
import { serveAgui } from './testing/serve-agui.ts'
import type { AguiServer } from './testing/serve-agui.ts'
import type { Threads } from './threads.ts'
import { aguiMessages } from './translate/agui-messages.ts'

const query = z.object({ q: z.string() })
const search = tool(async ({ q }: { q: string }) => `found ${q}`, {
  name: 'search',
  description: 'looks',
  schema: query,
})
const confirm = tool(async ({ q }: { q: string }) => `human: ${interrupt({ question: q })}`, {
  name: 'confirm',
  description: 'asks',
  schema: query,
})

const tools = createAgent({
  name: 'tools',
  model: scriptedModel([
    {
      reasoning: 'hm, well',
      text: 'let me look',
      toolCalls: [
        { id: 'c1', name: 'search', args: { q: 'cats' } },
        { id: 'c2', name: 'search', args: { q: 'dogs' } },
      ],
    },
    { text: 'all done now' },
  ]),
  tools: [search],
})

const asks = createAgent({
  name: 'asks',
  model: scriptedModel([
    { text: 'wait', toolCalls: [{ id: 'c1', name: 'confirm', args: { q: 'sure?' } }] },
    { text: 'thank you' },
  ]),
  tools: [confirm],
})

const researcher = createAgent({
  name: 'researcher',
  model: scriptedModel([
    { text: 'inner secret', toolCalls: [{ id: 'd1', name: 'search', args: { q: 'deep' } }] },
    { text: 'the answer' },
  ]),
  tools: [search],
})
const task = tool(
  async ({ description }: { description: string; subagent_type: string }) => {
    const { messages } = await researcher.invoke({ messages: [{ role: 'user', content: description }] })
    return messages.at(-1)?.text ?? ''
  },
  {
    name: 'task',
    description: 'delegates',
    schema: z.object({ description: z.string(), subagent_type: z.string() }),
  },
)
const delegates = createAgent({
  name: 'delegates',
  model: scriptedModel([
    {
      toolCalls: [{ id: 'c1', name: 'task', args: { description: 'find out', subagent_type: 'researcher' } }],
    },
    { text: 'outer answer' },
  ]),
  tools: [task],
})

const State = Annotation.Root({ ...MessagesAnnotation.spec, count: Annotation<number>() })
const inner = new StateGraph(State)
  .addNode('speak', async ({ messages }) => ({
    messages: [await scriptedModel(() => ({ text: 'from within' })).invoke(messages)],
  }))
  .addEdge('__start__', 'speak')
  .compile()
const plain = new StateGraph(State)
  .addNode('inner', inner)
  .addNode('made', () => ({ messages: [new AIMessage({ id: 'made-1', content: 'made by hand' })], count: 3 }))
  .addEdge('__start__', 'inner')
  .addEdge('inner', 'made')
  .compile({ name: 'plain' })

let server: AguiServer
let threads: Threads

beforeAll(async () => {
  const agents = Object.fromEntries(
    Object.entries({ tools, asks, delegates, plain }).map(([name, graph]) => [
      name,
      fromGraph(graph, { name }),
    ]),
  )
  threads = memoryThreads({ agents, checkpointer: new MemorySaver() })
  server = await serveAgui({ threads })
})
afterAll(() => server.close())

describe.each([
  ['1.0.0', HttpAgent],
  ['0.0.59', HttpAgentV0],
])('a client of %s', (version, Agent) => {
  test.each(['tools', 'delegates', 'plain'])('ends with the messages of graph %s', async (name) => {
    const threadId = `${name}-${version}`
    const agent = new Agent({ url: server.url(name), threadId })
    agent.messages = [{ id: 'u1', role: 'user', content: 'hi' }]
    const events: Event[] = []
    await agent.runAgent({}, { onEvent: ({ event }) => void events.push(wire(event)) })
    await judge(events)
    const state = await threads.state(threadId)
    const shown = aguiMessages(state?.messages ?? [], { reasoning: false, parts: false, v1: false })
    const main = agent.messages.filter(
      (message) => message.role !== 'reasoning' && !('subagentRunId' in message),
    )
    expect(main.map(({ id, content }) => [id, content ?? ''])).toEqual(
      shown.map((message) => [message.id, message.content ?? '']),
    )
    expect(main.length).toBeGreaterThan(2)
    if (name === 'plain') expect(agent.state).toMatchObject({ count: 3 })
    if (name === 'delegates') expect(JSON.stringify(main)).not.toContain('secret')
  })

  test('answers what a graph asks', async () => {
    const agent = new Agent({ url: server.url('asks'), threadId: `asks-${version}` })
    agent.messages = [{ id: 'u1', role: 'user', content: 'hi' }]
    const events: Event[] = []
    const keep = { onEvent: ({ event }: { event: unknown }) => void events.push(wire(event)) }
    await agent.runAgent({}, keep)
    const [open] = agent.pendingInterrupts
    expect(open).toMatchObject({ message: 'sure?', toolCallId: 'c1' })
    await agent.runAgent(
      { resume: [{ interruptId: open?.id ?? '', status: 'resolved', payload: 'yes' }] },
      keep,
    )
    await judge(events)
    expect(agent.messages.map((message) => message.content)).toEqual([
      'hi',
      'wait',
      'human: yes',
      'thank you',
    ])
  })
})

test('a sub-agent speaks in its own name to a client that knows sub-agents', async () => {
  const agent = new HttpAgent({ url: server.url('delegates'), threadId: 'named' })
  agent.messages = [{ id: 'u1', role: 'user', content: 'hi' }]
  const events: Event[] = []
  await agent.runAgent({}, { onEvent: ({ event }) => void events.push(wire(event)) })
  expect(events.find((event) => event.type === EventType.SUBAGENT_STARTED)).toMatchObject({
    name: 'researcher',
    description: 'find out',
    parentToolCallId: 'c1',
  })
  const inside = agent.messages.filter((message) => 'subagentRunId' in message)
  expect(inside.map((message) => message.content)).toEqual(['inner secret', 'found deep', 'the answer'])
})

test('a thread that is connected to again looks the same', async () => {
  const live = new ConnectableHttpAgent({ url: server.url('tools'), threadId: 'again' })
  live.messages = [{ id: 'u1', role: 'user', content: 'hi' }]
  await live.runAgent({})
  const later = new ConnectableHttpAgent({ url: server.url('tools'), threadId: 'again' })
  await later.connectAgent({})
  expect(later.messages).toEqual(live.messages)
  const before = structuredClone(live.messages)
  await live.connectAgent({})
  expect(live.messages).toEqual(before)
})
