import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Command, MemorySaver, interrupt } from '@langchain/langgraph'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createDeepAgent, type DeepAgentOptions } from './create-deep-agent.ts'
import type { SubAgent } from './sub-agent.ts'
import type { Call, Reply, Script } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const go = (files: Record<string, string> = {}) => ({ messages: [new HumanMessage('go')], files })
const task = (description: string, subagent_type = 'general-purpose', id = `call_${description}`): Call => ({
  name: 'task',
  id,
  args: { description, subagent_type },
})
const edit = (file_path: string, old_string: string, new_string: string): Call => ({
  name: 'edit_file',
  args: { file_path, old_string, new_string },
})
const remove = (file_path: string): Call => ({ name: 'delete_file', args: { file_path } })
const read = (file_path: string): Call => ({ name: 'read_file', args: { file_path } })

/** A main agent that hands out these tasks in one turn, and agents that make their calls one by one. */
async function delegate(
  tasks: readonly Call[],
  scripts: Readonly<Record<string, readonly (readonly Call[])[]>>,
  options: Partial<DeepAgentOptions> = {},
) {
  const server = await serve(({ user, turn }) => {
    if (user === 'go') return turn === 0 ? tasks : 'all done'
    return scripts[user]?.[turn] ?? `finished ${user}`
  })
  return { server, agent: createDeepAgent({ instructions: 'Lead.', model: server.openai(), ...options }) }
}

const answersIn = (messages: readonly unknown[]) =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text, status }) => ({ text, status }))

describe('a sub-agent', () => {
  it('sees its task and nothing else, and only its last words come back', async () => {
    const { server, agent } = await delegate([task('A')], { A: [[{ name: 'ls', args: {} }]] })
    const state = await agent.invoke(go())
    expect(state.messages.map((message) => message.text)).toEqual(['go', '', 'finished A', 'all done'])
    const asked = server.requests().map((entry) => JSON.stringify(entry.body))
    const ofA = asked.filter((body) => body.includes('"content":"A"'))
    expect(ofA).toHaveLength(2)
    expect(ofA.some((body) => body.includes('"content":"go"'))).toBe(false)
  })

  it('of general purpose has the main instructions and tools', async () => {
    const weather = tool(() => 'sunny', { name: 'weather', description: 'Weather', schema: z.object({}) })
    const { server, agent } = await delegate(
      [task('A')],
      {},
      { tools: [weather], instructions: 'Speak like a sailor.' },
    )
    await agent.invoke(go())
    const [main, sub] = server.requests().map((entry) => requestOf(entry.body))
    expect(main?.system).toContain('Speak like a sailor.')
    expect(main?.system).toContain('write_todos')
    expect(sub?.system).toContain('Speak like a sailor.')
    expect(main?.tools).toContain('weather')
    expect(sub?.tools).toEqual(main?.tools.filter((name) => name !== 'task'))
  })

  it('of your own has its prompt, its tools and its model settings', async () => {
    const poet: SubAgent = {
      name: 'poet',
      description: 'Writes verse',
      prompt: 'You are a poet.',
      tools: [
        'write_file',
        tool(() => 'moon', { name: 'rhyme', description: 'Rhymes', schema: z.object({}) }),
      ],
      modelSettings: { temperature: 0.9 },
    }
    const { server, agent } = await delegate([task('A', 'poet')], {}, { subagents: [poet] })
    await agent.invoke(go())
    const [main, sub] = server.requests().map((entry) => requestOf(entry.body))
    expect(sub?.system).toMatch(/^You are a poet\./)
    expect(sub?.tools).toEqual(['write_file', 'rhyme'])
    expect([main?.temperature, sub?.temperature]).toEqual([undefined, 0.9])
    expect(main?.descriptions['task']).toContain('- poet: Writes verse')
  })

  it('that does not exist is an answer to the model, not the end of the run', async () => {
    const { agent } = await delegate([task('A', 'nobody'), task('B')], {})
    const state = await agent.invoke(go())
    expect(answersIn(state.messages)).toEqual([
      { text: 'There is no sub-agent "nobody". Choose one of: general-purpose.', status: 'error' },
      { text: 'finished B', status: 'success' },
    ])
    expect(state.messages.at(-1)?.text).toBe('all done')
  })

  it.each<[string, Reply]>([
    ['its model fails', { failure: 'overloaded', status: 500 }],
    ['it never ends', [{ name: 'ls', args: {} }]],
  ])('fails alone when %s, and what it had written is kept', async (_title, reply) => {
    const script: Script = ({ user, turn }) => {
      if (user === 'go') return turn === 0 ? [task('A'), task('B')] : 'all done'
      if (user === 'B') return 'finished B'
      return turn === 0 ? [{ name: 'write_file', args: { file_path: 'a.md', content: 'kept' } }] : reply
    }
    const server = await serve(script)
    const agent = createDeepAgent({ instructions: 'Lead.', model: server.openai(), recursionLimit: 30 })
    const state = await agent.invoke(go())
    const [a, b] = answersIn(state.messages)
    expect(a?.status).toBe('error')
    expect(a?.text).toMatch(/^The sub-agent general-purpose failed: /)
    expect(b).toEqual({ text: 'finished B', status: 'success' })
    expect(state.files).toEqual({ 'a.md': 'kept' })
    expect(state.messages.at(-1)?.text).toBe('all done')
  })

  it("may take as many supersteps as the run's caller allows, no more and no fewer", async () => {
    const turns = Array.from({ length: 15 }, (): Call[] => [{ name: 'ls', args: {} }])
    const { agent } = await delegate([task('A')], { A: turns }, { recursionLimit: 12 })
    const more = await agent.invoke(go(), { recursionLimit: 100 })
    expect(answersIn(more.messages)).toEqual([{ text: 'finished A', status: 'success' }])
    const { agent: generous } = await delegate([task('A')], { A: turns })
    const fewer = await generous.invoke(go(), { recursionLimit: 10 })
    expect(answersIn(fewer.messages)[0]?.status).toBe('error')
  })

  it('gets your own state to read, and gives none of its own back', async () => {
    const seen: unknown[] = []
    const look = tool(
      (_input, runtime) => {
        seen.push('state' in runtime ? runtime.state : undefined)
        return 'ok'
      },
      { name: 'look', description: 'Look', schema: z.object({}) },
    )
    const plan: Call = { name: 'write_todos', args: { todos: [{ content: 'mine', status: 'pending' }] } }
    const { agent } = await delegate(
      [task('A')],
      { A: [[plan], [{ name: 'look', args: {} }]] },
      {
        tools: [look],
        stateSchema: z.object({ customer: z.string().default('') }),
      },
    )
    const state = await agent.invoke({ ...go(), customer: 'ACME' })
    expect(seen).toMatchObject([{ customer: 'ACME', todos: [{ content: 'mine' }] }])
    expect(state.todos).toEqual([])
  })
})

describe('a deep agent that a tool of a sub-agent runs', () => {
  it('has files of its own', async () => {
    const seen: unknown[] = []
    const server = await serve(({ user, turn }) => {
      if (turn > 0) return `finished ${user}`
      if (user === 'go') return [task('A')]
      if (user === 'A') return [{ name: 'outsource', args: {} }]
      return [{ name: 'write_file', args: { file_path: 'inner.md', content: 'x' } }]
    })
    const inner = createDeepAgent({ instructions: 'Inside.', model: server.openai() })
    const outsource = tool(
      async (_input, config) => {
        const result = await inner.invoke({ messages: [new HumanMessage('inside')] }, config)
        seen.push(result.files)
        return 'ok'
      },
      { name: 'outsource', description: 'Outsource', schema: z.object({}) },
    )
    const agent = createDeepAgent({ instructions: 'Lead.', model: server.openai(), tools: [outsource] })
    const state = await agent.invoke(go({ 'outer.md': 'y' }))
    expect(state.files).toEqual({ 'outer.md': 'y' })
    expect(seen).toEqual([{ 'inner.md': 'x' }])
  })
})

describe('parallel sub-agents', () => {
  it('keep their edits of different parts of one file', async () => {
    const { agent } = await delegate([task('A'), task('B')], {
      A: [[read('x.md')], [edit('x.md', 'one', '1')]],
      B: [[read('x.md')], [edit('x.md', 'two', '2')]],
    })
    const state = await agent.invoke(go({ 'x.md': 'one two' }))
    expect(state.files).toEqual({ 'x.md': '1 2' })
  })

  it('do not undo what a bystander never touched, nor bring back what another deleted', async () => {
    const { agent } = await delegate([task('A'), task('B'), task('C')], {
      A: [[edit('x.md', 'v0', 'v1')]],
      B: [[read('x.md')], [read('y.md')], [read('z.md')]],
      C: [[remove('y.md')]],
    })
    const state = await agent.invoke(go({ 'x.md': 'v0', 'y.md': 'old', 'z.md': 'same' }))
    expect(state.files).toEqual({ 'x.md': 'v1', 'z.md': 'same' })
  })

  it('learn of a true conflict from the answer, and a warning says so', async () => {
    const gate = gateOf()
    const script: Script = async ({ user, turn, results }) => {
      if (user === 'go') return turn === 0 ? [task('A'), task('B')] : results.join(' | ')
      if (user === 'A' && turn === 0)
        return [{ name: 'write_file', args: { file_path: 'x.md', content: 'from A' } }]
      if (user === 'A') {
        gate.resolve()
        return 'A wrote'
      }
      await gate.promise
      if (turn === 0) return [{ name: 'write_file', args: { file_path: 'x.md', content: 'from B' } }]
      if (turn === 1) return [read('x.md')]
      return results.join(' / ')
    }
    const server = await serve(script)
    const agent = createDeepAgent({ instructions: 'Lead.', model: server.openai() })
    const said: unknown[] = []
    let files: unknown
    for await (const [, mode, chunk] of await agent.stream(go({ 'x.md': 'v0' }), {
      streamMode: ['custom', 'values'],
      subgraphs: true,
    })) {
      if (mode === 'custom') said.push(chunk)
      else files = chunk.files
    }
    expect(files).toEqual({ 'x.md': 'from A' })
    expect(said).toContainEqual({
      clewline: {
        warning: expect.objectContaining({ code: 'file-conflict', file: 'x.md', tool: 'write_file' }),
      },
    })
    const told = server
      .requests()
      .map((entry) => JSON.stringify(entry.body))
      .join('\n')
    expect(told).toContain(
      'Conflict: x.md was changed by another agent while you worked. It was not overwritten.',
    )
    expect(told).toContain('1\\tfrom A')
  })

  it('run at the same time and are cancelled together', async () => {
    const running = new Set<string>()
    const both = gateOf()
    const stopped: string[] = []
    const wait = tool(
      ({ who }, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          running.add(who)
          if (running.size === 2) both.resolve()
          signal?.addEventListener('abort', () => {
            stopped.push(who)
            reject(new Error('stopped'))
          })
        }),
      { name: 'wait', description: 'Wait', schema: z.object({ who: z.string() }) },
    )
    const { agent } = await delegate(
      [task('A'), task('B')],
      { A: [[{ name: 'wait', args: { who: 'A' } }]], B: [[{ name: 'wait', args: { who: 'B' } }]] },
      { tools: [wait] },
    )
    const controller = new AbortController()
    const run = agent.invoke(go(), { signal: controller.signal })
    await both.promise
    controller.abort()
    await expect(run).rejects.toThrow(/abort/i)
    expect(stopped.sort()).toEqual(['A', 'B'])
  })
})

describe('a pause inside a sub-agent', () => {
  const ask = tool((_input) => `the human said ${interrupt('May I?')}`, {
    name: 'ask',
    description: 'Ask',
    schema: z.object({}),
  })
  const config = { configurable: { thread_id: 'thread' } }

  it('reaches the caller and goes on where it was, with the files that were there', async () => {
    const { agent } = await delegate(
      [task('A'), task('B')],
      {
        A: [[edit('x.md', 'one', '1')], [{ name: 'ask', args: {} }], [edit('x.md', '1', 'I')]],
        B: [[edit('x.md', 'two', '2')]],
      },
      { tools: [ask], checkpointer: new MemorySaver() },
    )
    await agent.invoke(go({ 'x.md': 'one two' }), config)
    const paused = await agent.getState(config)
    expect(paused.tasks.flatMap((one) => one.interrupts)).toMatchObject([{ value: 'May I?' }])
    const state = await agent.invoke(new Command({ resume: 'yes' }), config)
    expect(state.files).toEqual({ 'x.md': 'I 2' })
    expect(answersIn(state.messages).map(({ text }) => text)).toEqual(['finished A', 'finished B'])
  })

  it('keeps what was done before it when nothing is done after', async () => {
    const { agent } = await delegate(
      [task('A')],
      {
        A: [
          [{ name: 'write_file', args: { file_path: 'a.md', content: 'kept' } }],
          [{ name: 'ask', args: {} }],
        ],
      },
      { tools: [ask], checkpointer: new MemorySaver() },
    )
    await agent.invoke(go(), config)
    const state = await agent.invoke(new Command({ resume: 'yes' }), config)
    expect(state.files).toEqual({ 'a.md': 'kept' })
  })

  it('comes for a tool that needs approval, however deep it is used', async () => {
    const publish = tool(() => 'published', { name: 'publish', description: 'Publish', schema: z.object({}) })
    const { agent } = await delegate(
      [task('A')],
      { A: [[{ name: 'publish', args: {} }]] },
      {
        tools: [publish],
        interruptOn: { publish: true },
        checkpointer: new MemorySaver(),
      },
    )
    await agent.invoke(go(), config)
    const paused = await agent.getState(config)
    expect(paused.tasks.flatMap((one) => one.interrupts)).toMatchObject([
      { value: { actionRequests: [{ name: 'publish' }] } },
    ])
    const state = await agent.invoke(new Command({ resume: { decisions: [{ type: 'approve' }] } }), config)
    expect(state.messages.at(-1)?.text).toBe('all done')
  })
})

function requestOf(body: unknown) {
  const request = z
    .object({
      messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
      tools: z
        .array(z.object({ function: z.object({ name: z.string(), description: z.string().optional() }) }))
        .default([]),
      temperature: z.number().optional(),
    })
    .parse(body)
  const system = request.messages.find((message) => message.role === 'system')?.content
  return {
    system: typeof system === 'string' ? system : JSON.stringify(system),
    tools: request.tools.map((one) => one.function.name),
    descriptions: Object.fromEntries(
      request.tools.map((one) => [one.function.name, one.function.description]),
    ),
    temperature: request.temperature,
  }
}

function gateOf() {
  let resolve = (): void => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve: () => resolve() }
}
