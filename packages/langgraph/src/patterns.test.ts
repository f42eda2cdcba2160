import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { Document } from '@langchain/core/documents'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { BaseRetriever } from '@langchain/core/retrievers'
import {
  Command,
  entrypoint,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { createDeepAgent } from 'deepagents'
import { createAgent, tool } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { approve, loopGraph, search } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, scriptedModel, story } from './testing/index.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const

describe('ways to build agents', () => {
  test('two sub-agents that both ask a human are answered together', async () => {
    const deploy = tool(({ env }: { env: string }) => `deployed ${env}`, {
      name: 'deploy',
      description: 'deploys',
      schema: z.object({ env: z.string() }),
    })
    const ops = scriptedModel(({ messages, turn }) => {
      const env = messages.find((message) => message.getType() === 'human')?.text ?? ''
      return turn === 0
        ? { toolCalls: [{ id: `d_${env}`, name: 'deploy', args: { env } }] }
        : { text: `${env} is up` }
    })
    const agent = createDeepAgent({
      name: 'boss',
      model: scriptedModel([
        {
          toolCalls: ['test', 'live'].map((env) => ({
            id: `t_${env}`,
            name: 'task',
            args: { description: env, subagent_type: 'ops' },
          })),
        },
        { text: 'all up' },
      ]),
      subagents: [
        {
          name: 'ops',
          description: 'operates',
          systemPrompt: 'operate',
          model: ops,
          tools: [deploy],
          interruptOn: { deploy: true },
        },
      ],
    })
    const paused = await recordRun(fromGraph(agent), hi, { checkpointer: new MemorySaver() })
    expect(verify(paused.envelopes)).toEqual([])
    if (paused.outcome.status !== 'interrupted') throw new Error(JSON.stringify(paused.outcome))
    const { interrupts } = paused.outcome
    expect(new Set(interrupts.map((one) => one.tool_call_id))).toEqual(new Set(['d_live', 'd_test']))
    const answers = interrupts.map(({ id }) => ({
      interrupt_id: id,
      value: { decisions: [{ type: 'approve' }] },
    }))
    const resumed = await paused.next({ kind: 'resume', answers })
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(verify(resumed.envelopes)).toEqual([])
    const told = story(resumed.envelopes).split('\n').sort()
    expect(told.filter((line) => /deploy: |task: |boss: /.test(line))).toMatchInlineSnapshot(`
      [
        "boss/task/deploy: ends ok "deployed live"",
        "boss/task/deploy: ends ok "deployed test"",
        "boss/task/deploy: tool starts {"env":"live"}",
        "boss/task/deploy: tool starts {"env":"test"}",
        "boss/task: asks {"actionRequests":[{"name":"deploy","args":{"env":"live"},"description":"Tool execution requires approval\\n\\nTool: deploy\\nArgs: {\\n  \\"env\\": \\"live\\"\\n}"}],"reviewConfigs":[{"actionName":"deploy","allowedDecisions":["approve","edit","reject"]}]}",
        "boss/task: asks {"actionRequests":[{"name":"deploy","args":{"env":"test"},"description":"Tool execution requires approval\\n\\nTool: deploy\\nArgs: {\\n  \\"env\\": \\"test\\"\\n}"}],"reviewConfigs":[{"actionName":"deploy","allowedDecisions":["approve","edit","reject"]}]}",
        "boss/task: ends ok",
        "boss/task: ends ok",
        "boss/task: goes on",
        "boss/task: goes on",
        "boss/task: subagent starts {"description":"live","subagent_type":"ops"}",
        "boss/task: subagent starts {"description":"test","subagent_type":"ops"}",
        "boss: ends ok",
        "boss: goes on",
        "boss: graph starts",
      ]
    `)
  })

  test('one sub-agent that asks two things at once is answered by id', async () => {
    const helper = createAgent({
      name: 'helper',
      model: scriptedModel([
        {
          toolCalls: [
            { id: 'a1', name: 'approve', args: { q: 'cats' } },
            { id: 'a2', name: 'approve', args: { q: 'dogs' } },
          ],
        },
        { text: 'helped' },
      ]),
      tools: [approve],
    })
    const delegate = tool(
      async (_args, config) => {
        const messages = [{ role: 'user', content: 'go' }]
        return (await helper.invoke({ messages }, config)).messages.at(-1)?.text ?? ''
      },
      { name: 'task', description: 'delegates', schema: z.object({}) },
    )
    const graph = loopGraph(
      [{ toolCalls: [{ id: 't1', name: 'task', args: {} }] }, { text: 'done' }],
      [delegate],
    )
    const paused = await recordRun(fromGraph(graph), hi)
    expect(verify(paused.envelopes)).toEqual([])
    if (paused.outcome.status !== 'interrupted') throw new Error(paused.outcome.status)
    const { interrupts } = paused.outcome
    expect(interrupts.map((one) => one.tool_call_id)).toEqual(['a1', 'a2'])
    const answers = interrupts.map(({ id, tool_call_id = '' }) => ({ interrupt_id: id, value: tool_call_id }))
    const resumed = await paused.next({ kind: 'resume', answers })
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(verify(resumed.envelopes)).toEqual([])
    expect(story(resumed.envelopes)).toContain('main/task/approve: ends ok "they said \\"a1\\""')
    expect(story(resumed.envelopes)).toContain('main/task/approve: ends ok "they said \\"a2\\""')
  })

  test('a functional workflow of tasks', async () => {
    const model = scriptedModel([{ text: 'drafted' }])
    const draft = task('draft', async (topic: string) => (await model.invoke(topic)).text)
    const flow = entrypoint({ name: 'flow', checkpointer: new MemorySaver() }, async (topic: string) => {
      const texts = await Promise.all([draft(topic), draft(`more ${topic}`)])
      const ok = interrupt({ texts })
      return { ok, texts }
    })
    const paused = await recordRun(fromGraph(flow), { kind: 'input', input: 'cats' })
    expect(verify(paused.envelopes)).toEqual([])
    const resumed = await paused.next({ kind: 'resume', answers: [{ value: true }] })
    expect(verify(resumed.envelopes)).toEqual([])
    expect(story(resumed.envelopes)).toMatchInlineSnapshot(`
      "flow: graph starts
      flow/scripted: model starts
      flow/scripted: model starts
      flow/scripted: says "drafted"
      flow/scripted: says "drafted"
      flow/scripted: ends stop
      flow/scripted: ends stop
      flow: asks {"texts":["drafted","drafted"]}
      flow: goes on
      flow: updates {"data":{"node":"draft","cached":true,"update":"drafted"}} (replay)
      flow: updates {"data":{"node":"draft","cached":true,"update":"drafted"}} (replay)
      flow: ends ok"
    `)
  })

  test('agents as nodes that hand over to each other', async () => {
    const handOver = tool(
      (_args, config: { toolCall?: { id?: string } }) =>
        new Command({
          goto: 'writer',
          graph: Command.PARENT,
          update: {
            messages: [{ role: 'tool', content: 'handed over', tool_call_id: config.toolCall?.id ?? '' }],
          },
        }),
      { name: 'hand_over', description: 'hands over', schema: z.object({}) },
    )
    const boss = createAgent({
      name: 'boss',
      model: scriptedModel([{ toolCalls: [{ id: 'h1', name: 'hand_over', args: {} }] }]),
      tools: [handOver],
    })
    const writer = createAgent({
      name: 'writer',
      model: scriptedModel(() => ({ text: 'written' })),
      tools: [],
    })
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('boss', boss.graph, { ends: ['writer'] })
      .addNode('writer', writer.graph)
      .addEdge(START, 'boss')
      .compile({ name: 'team' })
    const { envelopes, outcome } = await recordRun(fromGraph(graph), hi)
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "team: graph starts
      team/boss: subgraph starts
      team/boss/scripted: model starts
      team/boss/scripted: calls hand_over {}
      team/boss/scripted: ends tool_calls
      team/boss/hand_over: tool starts {}
      team/boss/hand_over: ends ok "handed over"
      team/boss: ends ok
      team/writer: subgraph starts
      team/writer/scripted: model starts
      team/writer/scripted: says "written"
      team/writer/scripted: ends stop
      team/writer: ends ok
      team: ends ok"
    `)
  })

  test('a tool that calls a model and another tool', async () => {
    const expert = scriptedModel([{ text: 'expert words' }], { name: 'expert' })
    const ask = tool(
      async ({ q }: { q: string }) => `${(await expert.invoke(q)).text}, ${await search.invoke({ q })}`,
      { name: 'ask', description: 'asks', schema: z.object({ q: z.string() }) },
    )
    const graph = loopGraph(
      [{ toolCalls: [{ id: 'q1', name: 'ask', args: { q: 'x' } }] }, { text: 'done' }],
      [ask],
    )
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/main-model: model starts
      main/main-model: calls ask {"q":"x"}
      main/main-model: ends tool_calls
      main/ask: tool starts {"q":"x"}
      main/ask/expert: model starts
      main/ask/expert: says "expert words"
      main/ask/expert: ends stop
      main/ask/search: tool starts {"q":"x"}
      main/ask/search: updates {"text":"looking for x"}
      main/ask/search: ends ok "result for x"
      main/ask: ends ok "expert words, result for x"
      main/main-model: model starts
      main/main-model: says "done"
      main/main-model: ends stop
      main: ends ok"
    `)
  })

  test('a tool that is an agent but not called task keeps its own call around the graph', async () => {
    const helper = loopGraph([{ text: 'helped' }], [search], 'helper')
    const consult = tool(
      async ({ q }: { q: string }) =>
        (await helper.invoke({ messages: [{ role: 'user', content: q }] })).messages.at(-1)?.text ?? '',
      { name: 'consult', description: 'consults', schema: z.object({ q: z.string() }) },
    )
    const script = [{ toolCalls: [{ id: 'c1', name: 'consult', args: { q: 'x' } }] }, { text: 'done' }]
    const plain = await recordRun(fromGraph(loopGraph(script, [consult])), hi)
    expect(verify(plain.envelopes)).toEqual([])
    expect(story(plain.envelopes)).toContain('main/consult/helper/helper-model: says "helped"')
    const named = await recordRun(fromGraph(loopGraph(script, [consult]), { subagentTools: ['consult'] }), hi)
    expect(verify(named.envelopes)).toEqual([])
    expect(story(named.envelopes)).toContain('main/consult/helper-model: says "helped"')
  })
})

test('a retriever is shown as a tool with its query and its documents', async () => {
  class Library extends BaseRetriever {
    lc_namespace = ['test']
    override _getRelevantDocuments(query: string): Promise<Document[]> {
      return Promise.resolve([new Document({ pageContent: `about ${query}` })])
    }
  }
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('look', async () => {
      await new Library().invoke('cats', { runName: 'library' })
      return {}
    })
    .addEdge(START, 'look')
    .compile({ name: 'main' })
  const { envelopes } = await recordRun(fromGraph(graph), hi)
  expect(verify(envelopes)).toEqual([])
  expect(story(envelopes)).toContain('main/library: tool starts {"query":"cats"}')
  const end = envelopes.find((one) => one.type === 'tool_end' && one.payload.tool_name === 'library')
  expect(end?.payload).toMatchObject({ result: [{ pageContent: 'about cats' }], status: 'ok' })
})

describe('odd models', () => {
  test('one that uses the same tool-call id again has two calls', async () => {
    const again = { toolCalls: [{ id: 'same', name: 'search', args: { q: 'x' } }] }
    const model = scriptedModel([again, again, { text: 'done' }])
    const { envelopes } = await recordRun(fromGraph(createAgent({ model, tools: [search] })), hi)
    expect(verify(envelopes)).toEqual([])
    const calls = envelopes.filter((one) => one.type === 'tool_start' && one.payload.tool_name === 'search')
    expect(new Set(calls.map((one) => one.call_id)).size).toBe(2)
  })

  test('one that cannot stream says everything in one piece', async () => {
    class Whole extends BaseChatModel {
      override _llmType(): string {
        return 'whole'
      }
      override _generate(_messages: BaseMessage[]): Promise<ChatResult> {
        const message = new AIMessage({ content: 'all at once' })
        return Promise.resolve({ generations: [{ text: message.text, message }] })
      }
    }
    const model = new Whole({})
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('speak', async (state) => ({ messages: [await model.invoke(state.messages)] }))
      .addEdge(START, 'speak')
      .compile({ name: 'main' })
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toContain('says "all at once"')
  })

  test('reasoning is told apart from text in each of its forms', async () => {
    class Thinker extends BaseChatModel {
      override _llmType(): string {
        return 'thinker'
      }
      override _generate(): Promise<ChatResult> {
        return Promise.reject(new Error('streams only'))
      }
      override async *_streamResponseChunks(
        _messages: BaseMessage[],
        _options: this['ParsedCallOptions'],
        manager?: { handleLLMNewToken(token: string, ...rest: unknown[]): Promise<void> },
      ): AsyncGenerator<ChatGenerationChunk> {
        const pieces = [
          new AIMessageChunk({ content: [{ type: 'thinking', thinking: 'a ' }] }),
          new AIMessageChunk({ content: [{ type: 'reasoning', reasoning: 'b ' }] }),
          new AIMessageChunk({ content: '', additional_kwargs: { reasoning_content: 'c' } }),
          new AIMessageChunk({ content: [{ type: 'text', text: 'so ' }] }),
          new AIMessageChunk({ content: [{ type: 'text', text: 'yes' }] }),
        ]
        for (const message of pieces) {
          const chunk = new ChatGenerationChunk({ text: message.text, message })
          yield chunk
          await manager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
        }
      }
    }
    const model = new Thinker({})
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('think', async (state) => {
        await model.invoke(state.messages)
        return {}
      })
      .addEdge(START, 'think')
      .compile({ name: 'main' })
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(verify(envelopes)).toEqual([])
    const tokens = envelopes.flatMap((one) => (one.type === 'llm_token' ? [one.payload] : []))
    const spoken = (channel: string): string =>
      tokens
        .filter((one) => (one.channel ?? 'text') === channel)
        .map((one) => one.text)
        .join('')
    expect([spoken('reasoning'), spoken('text')]).toEqual(['a b c', 'so yes'])
  })
})

test('a node that asks twice is answered twice', async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('ask', () => {
      const first = interrupt('first?')
      const second = interrupt('second?')
      return { messages: [{ role: 'assistant', content: `${first} and ${second}` }] }
    })
    .addEdge(START, 'ask')
    .compile({ name: 'asker' })
  const one = await recordRun(fromGraph(graph), hi)
  const two = await one.next({ kind: 'resume', answers: [{ value: 'yes' }] })
  expect(two.outcome).toMatchObject({ status: 'interrupted', interrupts: [{ value: 'second?' }] })
  const three = await two.next({ kind: 'resume', answers: [{ value: 'no' }] })
  expect(verify(three.envelopes)).toEqual([])
  expect(three.envelopes.at(-1)?.payload).toMatchObject({ result: { messages: [{ text: 'yes and no' }] } })
})
