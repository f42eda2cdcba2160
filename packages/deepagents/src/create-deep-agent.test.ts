import { HumanMessage } from '@langchain/core/messages'
import { tool, type ToolRuntime } from '@langchain/core/tools'
import { InMemoryStore, MemorySaver, getStore, ReducedValue, StateSchema } from '@langchain/langgraph'
import { createMiddleware, modelCallLimitMiddleware, type AgentMiddleware } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeepAgent, type DeepAgentOptions } from './create-deep-agent.ts'
import { DeepAgentError } from './deep-agent-error.ts'
import type { SubAgent } from './sub-agent.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const go = { messages: [new HumanMessage('go')] }
const noop = (name: string) => tool(() => 'ok', { name, description: name, schema: z.object({}) })
const nested = (depth: number): SubAgent => ({
  name: `level-${depth}`,
  description: 'Deeper',
  prompt: 'Go deeper.',
  ...(depth > 1 && { subagents: [nested(depth - 1)] }),
})

describe('createDeepAgent', () => {
  it.each<[string, Partial<DeepAgentOptions>, string]>([
    ['a tool of a taken name', { tools: [noop('ls')] }, 'two tools named "ls"'],
    ['two tools of one name', { tools: [noop('a'), noop('a')] }, 'two tools named "a"'],
    ['a second task tool', { tools: [noop('task')] }, 'two tools named "task"'],
    [
      'two general-purpose',
      {
        subagents: [
          { name: 'general-purpose', description: '', prompt: '' },
          { name: 'general-purpose', description: '', prompt: '' },
        ],
      },
      'two sub-agents',
    ],
    [
      'an unknown tool of a sub-agent',
      { subagents: [{ name: 'a', description: '', prompt: '', tools: ['x'] }] },
      'wants the tool "x"',
    ],
    ['too deep a nest', { subagents: [nested(4)] }, 'nested 4 levels deep'],
    [
      'state under a taken name',
      { stateSchema: z.object({ files: z.string() }) },
      'stateSchema defines "files"',
    ],
    [
      'approval for a tool that is not there',
      { interruptOn: { wirte_file: true } },
      'interruptOn of deep-agent names "wirte_file", which is no tool',
    ],
    [
      'approval in a sub-agent for a tool that is not there',
      { subagents: [{ name: 'a', description: '', prompt: '', interruptOn: { send: true } }] },
      'interruptOn of a names "send"',
    ],
    ['a limit of nothing', { recursionLimit: 0 }, 'recursionLimit is 0. Set it to 1 or more.'],
  ])('refuses %s at once', (_title, options, message) => {
    expect(() => createDeepAgent({ instructions: 'x', model: 'ollama:x', ...options })).toThrow(message)
  })

  it('takes approval for any tool of any of its agents, and of middlewares', () => {
    const send: SubAgent = { name: 'a', description: '', prompt: '', tools: [noop('send')] }
    const middleware = [createMiddleware({ name: 'Search', tools: [noop('search')] })]
    const interruptOn = { send: true, search: true, task: true, write_file: false }
    expect(() =>
      createDeepAgent({ instructions: 'x', model: 'ollama:x', subagents: [send], middleware, interruptOn }),
    ).not.toThrow()
  })

  it('is a graph with a name, and the nodes of any LangChain agent', async () => {
    const agent = createDeepAgent({ instructions: 'x', model: 'ollama:x', name: 'helper' })
    expect(agent.getName()).toBe('helper')
    const { nodes } = await agent.getGraphAsync()
    expect(Object.keys(nodes)).toEqual(['__start__', 'model_request', 'tools', '__end__'])
  })

  it('streams tokens, keeps its state under a thread, and goes on there', async () => {
    const server = await serve(({ user, turn, request }) => {
      if (user === 'go')
        return turn === 0
          ? [{ name: 'write_file', args: { file_path: 'a.md', content: 'x' } }]
          : 'one two three four five'
      return `heard ${request.messages.filter((message) => message.role === 'user').length}`
    })
    const agent = createDeepAgent({
      instructions: 'x',
      model: server.ollama(),
      checkpointer: new MemorySaver(),
    })
    const config = { configurable: { thread_id: 'thread' } }
    let tokens = 0
    for await (const [message] of await agent.stream(go, { ...config, streamMode: 'messages' })) {
      if (message.type === 'ai' && message.text !== '') tokens += 1
    }
    expect(tokens).toBeGreaterThan(1)
    const state = await agent.invoke({ messages: [new HumanMessage('again')] }, config)
    expect(state.messages.at(-1)?.text).toBe('heard 2')
    expect(state.files).toEqual({ 'a.md': 'x' })
    const steps: unknown[] = []
    for await (const step of agent.getStateHistory(config)) steps.push(step)
    expect(steps.length).toBeGreaterThan(5)
  })

  it('does not stop at the 25 supersteps that LangGraph allows by default', async () => {
    const server = await serve(({ turn }) => (turn < 30 ? [{ name: 'ls', args: {} }] : 'done'))
    const agent = createDeepAgent({ instructions: 'x', model: server.openai() })
    const state = await agent.invoke(go)
    expect(state.messages.at(-1)?.text).toBe('done')
    await expect(agent.invoke(go, { recursionLimit: 10 })).rejects.toThrow(/[Rr]ecursion limit/)
  })

  it('takes state, context, a store and middlewares of your own', async () => {
    const count = tool(
      async (_input, runtime: ToolRuntime) => {
        await getStore()?.put(['notes'], 'who', {
          who: z.object({ who: z.string() }).parse(runtime.context).who,
        })
        return 'counted'
      },
      { name: 'count', description: 'Count', schema: z.object({}) },
    )
    // Its parameter has the type `undefined` under `exactOptionalPropertyTypes` (langchain 1.5.14).
    const limit: AgentMiddleware = Reflect.apply(modelCallLimitMiddleware, undefined, [
      { runLimit: 3, exitBehavior: 'end' },
    ])
    const store = new InMemoryStore()
    const server = await serve(({ turn }) => (turn < 50 ? [{ name: 'count', args: {} }] : 'done'))
    const agent = createDeepAgent({
      instructions: 'x',
      model: server.openai(),
      tools: [count],
      store,
      stateSchema: new StateSchema({
        seen: new ReducedValue(z.array(z.string()).default([]), { reducer: (a, b) => [...a, ...b] }),
      }),
      contextSchema: z.object({ who: z.string() }),
      middleware: [limit],
    })
    const state = await agent.invoke({ ...go, seen: ['a'] }, { context: { who: 'me' } })
    expect(state).toMatchObject({ seen: ['a'] })
    expect(server.requests()).toHaveLength(3)
    expect(await store.get(['notes'], 'who')).toMatchObject({ value: { who: 'me' } })
  })

  it('gives a structured response when asked for one', async () => {
    const server = await serve(({ request }) => {
      const format = JSON.stringify(request).match(/extract-[\w-]+/)?.[0] ?? ''
      return [{ name: format, args: { title: 'Report' } }]
    })
    const agent = createDeepAgent({
      instructions: 'x',
      model: server.ollama(),
      responseFormat: z.object({ title: z.string() }),
    })
    expect(await agent.invoke(go)).toMatchObject({ structuredResponse: { title: 'Report' } })
  })

  it('lets the base prompt be replaced', async () => {
    const server = await serve(() => 'done')
    const agent = createDeepAgent({ instructions: 'First.', basePrompt: 'Second.', model: server.openai() })
    await agent.invoke(go)
    expect(server.requests()[0]?.body).toMatchObject({ messages: [{ content: 'First.\n\nSecond.' }, {}] })
  })

  it('refuses files that cannot be taken with a code and a hint', async () => {
    const server = await serve(() => 'done')
    const agent = createDeepAgent({ instructions: 'x', model: server.openai() })
    const failure = agent.invoke({ ...go, files: { 'a/b.md': 'x' } })
    await expect(failure).rejects.toBeInstanceOf(DeepAgentError)
    await expect(failure).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringContaining('Use a flat name such as "b.md"'),
    })
  })

  it('runs fifty calls of one turn without a warning of listeners', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): unknown => warnings.push(warning)
    process.on('warning', note)
    const calls = Array.from({ length: 50 }, () => ({ name: 'ls', args: {} }))
    const server = await serve(({ turn }) => (turn === 0 ? calls : 'done'))
    const agent = createDeepAgent({ instructions: 'x', model: server.openai() })
    for (const signal of [undefined, new AbortController().signal])
      await agent.invoke(go, signal === undefined ? {} : { signal })
    // Node emits warnings in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    expect(warnings).toEqual([])
  })
})
