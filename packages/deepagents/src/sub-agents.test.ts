import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { MemorySaver, MessagesAnnotation, StateGraph, Command, interrupt } from '@langchain/langgraph'
import { createMiddleware } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeepAgent, type DeepAgentOptions } from './create-deep-agent.ts'
import { CountingModel } from './testing/counting-model.ts'
import type { Call } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const go = (files: Record<string, string> = {}) => ({ messages: [new HumanMessage('go')], files })
const task = (description: string, subagent_type: string): Call => ({
  name: 'task',
  id: `task_${description}`,
  args: { description, subagent_type },
})
const answers = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message))

async function delegate(tasks: readonly Call[], options: Partial<DeepAgentOptions>) {
  const model = new CountingModel((turn) => (turn === 0 ? tasks : 'all done'))
  return createDeepAgent({ instructions: 'Lead.', model, ...options })
}

describe('a sub-agent with a response format', () => {
  it('answers with JSON, which is also the artifact', async () => {
    const server = await serve(({ user, turn, request }) => {
      if (user === 'go') return turn === 0 ? [task('A', 'judge')] : 'all done'
      return [{ name: JSON.stringify(request).match(/extract-[\w-]+/)?.[0] ?? '', args: { score: 3 } }]
    })
    const agent = createDeepAgent({
      instructions: 'Lead.',
      model: server.ollama(),
      subagents: [
        { name: 'judge', description: '', prompt: 'Judge.', responseFormat: z.object({ score: z.number() }) },
      ],
    })
    const { messages } = await agent.invoke(go())
    expect(answers(messages)).toMatchObject([
      { text: '{"score":3}', artifact: { score: 3 }, status: 'success' },
    ])
  })
})

describe('a sub-agent that is a graph of your own', () => {
  const graph = (node: (state: typeof MessagesAnnotation.State) => { messages: BaseMessage[] }) =>
    new StateGraph(MessagesAnnotation).addNode('node', node).addEdge('__start__', 'node').compile()

  it('gets the task, and its last words come back', async () => {
    const runnable = graph(({ messages }) => ({ messages: [new AIMessage(`heard ${messages[0]?.text}`)] }))
    const agent = await delegate([task('A', 'mine')], {
      subagents: [{ name: 'mine', description: '', runnable }],
    })
    expect(answers((await agent.invoke(go())).messages)).toMatchObject([{ text: 'heard A' }])
  })

  it('may be another deep agent, whose files are taken', async () => {
    const writes: Call = { name: 'write_file', args: { file_path: 'inner.md', content: 'x' } }
    const inner = createDeepAgent({
      instructions: 'Inside.',
      model: new CountingModel((turn) => (turn === 0 ? [writes] : 'written')),
    })
    const agent = await delegate([task('A', 'mine')], {
      subagents: [{ name: 'mine', description: '', runnable: inner }],
    })
    const { files } = await agent.invoke(go({ 'a.md': 'a' }))
    expect(files).toEqual({ 'a.md': 'a', 'inner.md': 'x' })
  })

  it('does not overwrite what a sibling changed at the same time', async () => {
    const write = (content: string) =>
      RunnableLambda.from(() => ({ messages: [new AIMessage('ok')], files: { 'x.md': content } }))
    const agent = await delegate([task('A', 'a'), task('B', 'b')], {
      subagents: [
        { name: 'a', description: '', runnable: write('from A') },
        { name: 'b', description: '', runnable: write('from B') },
      ],
    })
    const { files } = await agent.invoke(go({ 'x.md': 'old', 'y.md': 'kept' }))
    expect(Object.keys(files).sort()).toEqual(['x.md', 'x.md.conflict', 'y.md'])
    expect(new Set([files['x.md'], files['x.md.conflict']])).toEqual(new Set(['from A', 'from B']))
  })

  it('can pause and go on', async () => {
    const runnable = graph(() => ({ messages: [new AIMessage(`the human said ${interrupt('May I?')}`)] }))
    const agent = await delegate([task('A', 'mine')], {
      subagents: [{ name: 'mine', description: '', runnable }],
      checkpointer: new MemorySaver(),
    })
    const config = { configurable: { thread_id: 'thread' } }
    await agent.invoke(go(), config)
    const { messages } = await agent.invoke(new Command({ resume: 'yes' }), config)
    expect(answers(messages)).toMatchObject([{ text: 'the human said yes' }])
  })

  it('that returns no messages is an answer to the model', async () => {
    const agent = await delegate([task('A', 'mine')], {
      subagents: [{ name: 'mine', description: '', runnable: RunnableLambda.from(() => 'text') }],
    })
    expect(answers((await agent.invoke(go())).messages)).toMatchObject([
      { status: 'error', text: expect.stringContaining('returned no messages') },
    ])
  })
})

it('general-purpose can be replaced', async () => {
  const runnable = RunnableLambda.from(() => ({ messages: [new AIMessage('mine')] }))
  const agent = await delegate([task('A', 'general-purpose')], {
    subagents: [{ name: 'general-purpose', description: 'Mine', runnable }],
  })
  expect(answers((await agent.invoke(go())).messages)).toMatchObject([{ text: 'mine' }])
})

it('a middleware for all sub-agents stands around each of them, at every depth, and not around the main agent', async () => {
  const seen: string[] = []
  const noop = tool(() => 'ok', { name: 'noop', description: '', schema: z.object({}) })
  const watch = createMiddleware({
    name: 'Watch',
    wrapModelCall: (request, handler) => {
      seen.push(request.messages[0]?.text ?? '')
      return handler(request)
    },
  })
  const server = await serve(({ user, turn }) => {
    if (turn > 0) return `finished ${user}`
    if (user === 'go') return [task('A', 'outer'), task('B', 'general-purpose')]
    return user === 'A' ? [task('C', 'inner')] : 'done'
  })
  const agent = createDeepAgent({
    instructions: 'Lead.',
    model: server.openai(),
    tools: [noop],
    subagentMiddleware: [watch],
    subagents: [
      {
        name: 'outer',
        description: '',
        prompt: '',
        subagents: [{ name: 'inner', description: '', prompt: '' }],
      },
    ],
  })
  await agent.invoke(go())
  expect([...new Set(seen)].sort()).toEqual(['A', 'B', 'C'])
})
