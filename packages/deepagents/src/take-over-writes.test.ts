import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool, type ToolRuntime } from '@langchain/core/tools'
import { Command, MemorySaver, interrupt } from '@langchain/langgraph'
import { createMiddleware, type AgentMiddleware } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeepAgent } from './create-deep-agent.ts'
import type { Call } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const go = (files: Record<string, string> = {}) => ({ messages: [new HumanMessage('go')], files })
const task = (description: string): Call => ({
  name: 'task',
  id: `task_${description}`,
  args: { description, subagent_type: 'general-purpose' },
})

/** A tool of the user that writes files the way LangGraph documents it. */
const store = tool(
  ({ files }, runtime: ToolRuntime) =>
    new Command({
      update: {
        files,
        messages: [new ToolMessage({ content: 'stored', tool_call_id: runtime.toolCallId })],
      },
    }),
  {
    name: 'store',
    description: 'Store',
    schema: z.object({ files: z.record(z.string(), z.string().nullable()) }),
  },
)
const ask = tool(() => `the human said ${interrupt('May I?')}`, {
  name: 'ask',
  description: 'Ask',
  schema: z.object({}),
})

async function delegate(
  turns: readonly (readonly Call[])[],
  options: { middleware?: AgentMiddleware[]; checkpointer?: MemorySaver } = {},
) {
  const results: string[] = []
  const server = await serve(({ user, turn, results: answers }) => {
    if (user === 'go') return turn === 0 ? [task('A')] : 'all done'
    results.splice(0, results.length, ...answers)
    return turns[turn] ?? 'finished'
  })
  const agent = createDeepAgent({
    instructions: 'Lead.',
    model: server.openai(),
    tools: [store, ask],
    ...options,
  })
  return { agent, results }
}

describe("files that a tool of the user's writes in a sub-agent", () => {
  it('are seen by its own tools and come back to the caller, deletions too', async () => {
    const { agent, results } = await delegate([
      [{ name: 'store', args: { files: { 'new.md': 'one', 'old.md': null } } }],
      [{ name: 'ls', args: {} }],
      [{ name: 'edit_file', args: { file_path: 'new.md', old_string: 'one', new_string: 'two' } }],
    ])
    const state = await agent.invoke(go({ 'old.md': 'x', 'kept.md': 'y' }))
    expect(results).toEqual(['stored', 'kept.md\nnew.md', 'Replaced the text in new.md.'])
    expect(state.files).toEqual({ 'kept.md': 'y', 'new.md': 'two' })
  })

  it('survive a pause', async () => {
    const config = { configurable: { thread_id: 'thread' } }
    const { agent } = await delegate(
      [[{ name: 'store', args: { files: { 'new.md': 'one' } } }], [{ name: 'ask', args: {} }]],
      { checkpointer: new MemorySaver() },
    )
    await agent.invoke(go(), config)
    const state = await agent.invoke(new Command({ resume: 'yes' }), config)
    expect(state.files).toEqual({ 'new.md': 'one' })
  })
})

it.each<[string, Parameters<typeof createMiddleware>[0]]>([
  ['beforeAgent', { name: 'M', beforeAgent: () => ({ files: { 'm.md': 'from a hook' } }) }],
  ['beforeModel', { name: 'M', beforeModel: () => ({ files: { 'm.md': 'from a hook' } }) }],
  ['afterModel', { name: 'M', afterModel: { hook: () => ({ files: { 'm.md': 'from a hook' } }) } }],
  ['afterAgent', { name: 'M', afterAgent: () => ({ files: { 'm.md': 'from a hook' } }) }],
  [
    'wrapToolCall',
    {
      name: 'M',
      wrapToolCall: async ({ toolCall }) =>
        new Command({
          update: {
            files: { 'm.md': 'from a hook' },
            messages: [new ToolMessage({ content: 'mine', tool_call_id: toolCall.id ?? '' })],
          },
        }),
    },
  ],
  [
    'wrapModelCall',
    {
      name: 'M',
      wrapModelCall: async (request, handler) => {
        await handler(request)
        return new Command({ update: { files: { 'm.md': 'from a hook' } } })
      },
    },
  ],
])("files that a middleware's %s writes in a sub-agent come back to the caller", async (_hook, options) => {
  const server = await serve(({ user, turn }) => {
    if (user === 'go')
      return turn === 0
        ? [{ name: 'task', id: 't', args: { description: 'A', subagent_type: 'a' } }]
        : 'all done'
    return turn === 0 ? [{ name: 'ls', args: {} }] : 'finished'
  })
  const agent = createDeepAgent({
    instructions: 'Lead.',
    model: server.openai(),
    subagents: [{ name: 'a', description: 'A', prompt: 'A', middleware: [createMiddleware(options)] }],
  })
  expect((await agent.invoke(go())).files).toEqual({ 'm.md': 'from a hook' })
})
