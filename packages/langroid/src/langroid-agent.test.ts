import { verify } from '@skein/core'
import type { Envelope, JsonObject } from '@skein/core'
import type { FrontendTool } from '@skein/core/source'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { LangroidAgentConfig } from './config.ts'
import { LangroidAgent } from './langroid-agent.ts'
import { localThreads } from './local-threads.ts'
import { ChatAgent } from './native/chat-agent.ts'
import { LanguageModelError } from './native/language-model.ts'
import { MockLM } from './native/mock-lm.ts'
import type { MockResponse } from './native/mock-lm.ts'
import type { ModelRequest } from './native/language-model.ts'
import { Task } from './native/task.ts'
import { ToolMessage } from './native/tool-message.ts'

const GetWeather = ToolMessage({
  request: 'get_weather',
  purpose: 'To get the weather of a <location>.',
  fields: z.object({ location: z.string() }),
  handle: async ({ location }, { update }) => {
    await update({ state: { asked: location }, progress: { done: 1, total: 1 } })
    return { location, temperature: 20 }
  },
})
const Boom = ToolMessage({
  request: 'boom',
  purpose: 'To fail.',
  fields: z.object({}),
  handle: () => {
    throw new Error('kaputt')
  },
})
const background: FrontendTool = {
  name: 'change_background',
  description: 'To change the background.',
  parameters: { type: 'object', properties: { background: { type: 'string' } } },
}

function world(
  respond: (text: string, request: ModelRequest) => MockResponse | Promise<MockResponse>,
  config: LangroidAgentConfig = {},
) {
  const requests: ModelRequest[] = []
  const model = MockLM({
    respond: (text, request) => {
      requests.push(structuredCloneOf(request))
      return respond(text, request)
    },
  })
  const agent = ChatAgent({ name: 'chat', model, tools: [GetWeather, Boom] })
  return { requests, ...harness(LangroidAgent(agent, config)) }
}

function structuredCloneOf({ messages, tools, signal }: ModelRequest): ModelRequest {
  return { messages: structuredClone(messages), tools: structuredClone(tools), signal }
}

function harness(source: LangroidAgent) {
  const threads = localThreads(source, { max: 10, idleMs: 60_000 })
  let runs = 0
  async function run(input: JsonObject, tools: readonly FrontendTool[] = []): Promise<readonly Envelope[]> {
    const run_id = `run-${++runs}`
    const request = { kind: 'input' as const, input }
    const never = new AbortController().signal
    const { position } = await threads.start({
      thread_id: 't',
      run_id,
      agent: 'chat',
      request,
      tools,
      configurable: {},
    })
    await threads.settled('t', run_id, never)
    const envelopes: Envelope[] = []
    for await (const entry of threads.read('t', { after: position, follow: false, signal: never }))
      envelopes.push(entry.envelope)
    expect(verify(envelopes)).toEqual([])
    return envelopes
  }
  return {
    source,
    threads,
    run,
    say: (text: string) => run({ messages: [{ id: `u${runs}`, role: 'user', content: text }] }),
  }
}

/** The stream in a few words per envelope. */
function outline(envelopes: readonly Envelope[]): string[] {
  return envelopes.map((envelope) => {
    switch (envelope.type) {
      case 'tool_start':
        return `start ${envelope.payload.tool_name}`
      case 'tool_end':
        return `end ${envelope.payload.tool_name} ${envelope.payload.status}`
      case 'tool_update':
        return `update ${JSON.stringify(envelope.payload.delta?.state ?? envelope.payload.progress)}`
      case 'llm_start':
        return 'ask'
      case 'llm_token':
        return `${envelope.payload.channel ?? 'text'} ${envelope.payload.text}`
      case 'llm_end':
        return `said ${envelope.payload.message.tool_calls.map((call) => call.name).join()}`
      case 'warning':
        return `warning ${envelope.payload.code}`
      case 'error':
        return `error ${envelope.payload.class}: ${envelope.payload.message}`
      case 'subgraph_checkpoint':
      case 'subgraph_resume':
        return envelope.type
    }
  })
}

describe('a run', () => {
  test('of plain text streams it', async () => {
    const { say } = world(() => ({ text: 'Hello, you', reasoning: 'hm' }))
    expect(outline(await say('Hi'))).toEqual([
      'start chat',
      'ask',
      'reasoning hm',
      'text Hello, y',
      'text ou',
      'said ',
      'end chat ok',
    ])
  })

  test('asks "Hello" when there is no user message', async () => {
    const { run, requests } = world(() => 'yes?')
    await run({ messages: [] })
    expect(requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Hello' })
  })

  test('runs a backend tool, tells the model, and shows state from args, handler and result', async () => {
    const weather = { name: 'get_weather', args: { location: 'Paris' }, id: 'c1' }
    const { say, requests } = world(
      (_text, { messages }) => (messages.at(-1)?.role === 'tool' ? 'Warm.' : { toolCalls: [weather] }),
      {
        toolBehaviors: {
          get_weather: {
            stateFromArgs: ({ args }) => ({ args }),
            stateFromResult: ({ result }) => ({ result }),
          },
        },
      },
    )
    expect(outline(await say('Weather?'))).toEqual([
      'start chat',
      'ask',
      'tool_args {"locati',
      'tool_args on":"Par',
      'tool_args is"}',
      'said get_weather',
      'update {"args":{"location":"Paris"}}',
      'start get_weather',
      'update {"done":1,"total":1}',
      'update {"asked":"Paris"}',
      'end get_weather ok',
      'update {"result":{"location":"Paris","temperature":20}}',
      'ask',
      'text Warm.',
      'said ',
      'end chat ok',
    ])
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: '{"location":"Paris","temperature":20}',
    })
  })

  test('sends the next user message as a user message', async () => {
    const { say, requests } = world((text) =>
      text === 'Weather?' ? { toolCalls: [{ name: 'boom', args: {}, id: 'c1' }] } : 'ok',
    )
    await say('Weather?')
    await say('Thanks! What is 2+2?')
    expect(requests.at(-1)?.messages.map((m) => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })

  test('with a frontend tool ends as pending, and its real result reaches the model', async () => {
    const { run, requests } = world((text) =>
      text === 'Blue!'
        ? { toolCalls: [{ name: 'change_background', args: { background: 'blue' }, id: 'c1' }] }
        : `I hear: ${text}`,
    )
    const first = await run({ messages: [{ id: 'u1', role: 'user', content: 'Blue!' }] }, [background])
    expect(outline(first).slice(-4)).toEqual([
      'said change_background',
      'start change_background',
      'end change_background pending_frontend',
      'end chat ok',
    ])
    expect(requests[0]?.tools.map((tool) => tool.name)).toContain('change_background')
    const second = await run(
      { messages: [{ id: 'r1', role: 'tool', tool_call_id: 'c1', content: 'user refused' }] },
      [background],
    )
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: 'user refused',
    })
    expect(outline(second)).toContain('text I hear: ')
  })

  test('answers a frontend call that the user passed over, before the next message', async () => {
    const { run, requests } = world((text) =>
      text === 'Blue!' ? { toolCalls: [{ name: 'change_background', args: {}, id: 'c1' }] } : 'fine',
    )
    await run({ messages: [{ id: 'u1', role: 'user', content: 'Blue!' }] }, [background])
    await run({ messages: [{ id: 'u2', role: 'user', content: 'Never mind' }] }, [background])
    expect(requests[1]?.messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  })

  test('with parallel and mixed calls runs the backend ones and leaves the frontend ones', async () => {
    const { run } = world(() => ({
      text: 'Both.',
      toolCalls: [
        { name: 'get_weather', args: { location: 'Rome' }, id: 'c1' },
        { name: 'change_background', args: {}, id: 'c2' },
        { name: 'boom', args: {}, id: 'c3' },
      ],
    }))
    const lines = outline(await run({ messages: [{ id: 'u', role: 'user', content: 'go' }] }, [background]))
    expect(lines.slice(lines.indexOf('said get_weather,change_background,boom'))).toEqual([
      'said get_weather,change_background,boom',
      'start change_background',
      'end change_background pending_frontend',
      'start get_weather',
      'start boom',
      'update {"done":1,"total":1}',
      'update {"asked":"Rome"}',
      'end get_weather ok',
      'error TOOL_ERROR: Tool "boom" failed: kaputt',
      'end chat ok',
    ])
  })

  test.each([
    ['an unknown tool', 'launch_rocket', {}, /There is no tool named "launch_rocket"/],
    ['a method of the agent', 'clone', {}, /There is no tool named "clone"/],
    ['a handle-only tool that fails validation', 'get_weather', { place: 1 }, /errors in your attempt/],
  ])('tells the model about %s and never the client', async (_name, name, args, told) => {
    const { say, requests } = world((text, { messages }) =>
      messages.at(-1)?.role === 'tool' ? 'sorry' : { toolCalls: [{ name, args, id: 'c1' }] },
    )
    const lines = outline(await say('go'))
    expect(requests[1]?.messages.at(-1)?.content).toMatch(told)
    expect(lines.at(-1)).toBe('end chat ok')
    if (name !== 'get_weather') {
      expect(lines).toContain('warning unknown-tool')
      expect(lines.filter((line) => line.includes(name))).toEqual([])
    }
  })

  test('stops a model that repeats itself', async () => {
    const { say, requests } = world(() => ({ toolCalls: [{ name: 'boom', args: {}, id: 'same' }] }))
    const lines = outline(await say('go'))
    expect(requests).toHaveLength(4)
    expect(lines.slice(-2)).toEqual(['warning repeated', 'end chat ok'])
  })

  test('stops after maxTurns', async () => {
    let n = 0
    const { say, requests } = world(
      () => ({ toolCalls: [{ name: 'get_weather', args: { location: `${n++}` } }] }),
      { maxTurns: 3 },
    )
    expect(outline(await say('go')).slice(-2)).toEqual(['warning max-turns', 'end chat ok'])
    expect(requests).toHaveLength(3)
  })

  test('lets responseFromResult speak instead of the model, or asks it after all', async () => {
    const call = { toolCalls: [{ name: 'get_weather', args: { location: 'Oslo' }, id: 'c1' }] }
    const respond = (_text: string, { messages }: ModelRequest): MockResponse =>
      messages.at(-1)?.role === 'tool' ? 'model' : call
    const spoken = world(respond, { toolBehaviors: { get_weather: { responseFromResult: () => 'hook' } } })
    expect(outline(await spoken.say('go'))).toContain('text hook')
    expect(spoken.requests).toHaveLength(1)
    const silent = world(respond, { toolBehaviors: { get_weather: { responseFromResult: () => null } } })
    expect(outline(await silent.say('go'))).toContain('text model')
  })

  test('reports a hook that throws and goes on', async () => {
    const { say } = world(
      (_t, { messages }) =>
        messages.at(-1)?.role === 'tool' ? 'ok' : { toolCalls: [{ name: 'boom', args: {} }] },
      {
        toolBehaviors: {
          boom: {
            stateFromArgs: () => {
              throw new Error('no')
            },
          },
        },
        stateContextBuilder: () => {
          throw new Error('no')
        },
      },
    )
    const lines = outline(await say('go'))
    expect(lines.filter((line) => line === 'warning hook-failed')).toHaveLength(2)
    expect(lines.at(-1)).toBe('end chat ok')
  })

  test('primes the state without messages, and gives it to stateContextBuilder', async () => {
    const { run, requests } = world(() => 'ok', {
      stateContextBuilder: ({ state }, prompt) => `${JSON.stringify(state)} ${prompt}`,
    })
    const lines = outline(
      await run({ recipe: 'soup', messages: [{ id: 'u', role: 'user', content: 'Better!' }] }),
    )
    expect(lines[1]).toBe('update {"recipe":"soup"}')
    expect(requests[0]?.messages.at(-1)?.content).toBe('{"recipe":"soup"} Better!')
  })

  test('ends in an error when the model breaks off, with the call closed', async () => {
    const { say } = world(() => ({ text: 'Hel', error: new LanguageModelError('gone') }))
    expect(outline(await say('go'))).toEqual([
      'start chat',
      'ask',
      'text Hel',
      'error LANGROID_ERROR: gone',
      'error LANGROID_ERROR: gone',
    ])
  })

  test('is refused with an error when its input cannot be read', async () => {
    const { run } = world(() => 'ok')
    expect(outline(await run({ messages: [{ role: 'tool', content: 'x' }] })).at(-1)).toMatch(
      /^error LANGROID_ERROR: .*toolCallId/,
    )
  })

  test('honours an edited history and ignores results that answer nothing', async () => {
    const { run, requests } = world((text) => `re: ${text}`)
    await run({ messages: [{ id: 'u1', role: 'user', content: 'one' }] })
    const lines = outline(
      await run({
        messages: [
          { id: 'u1', role: 'user', content: 'one, edited' },
          { id: 'x', role: 'tool', toolCallId: 'nobody', content: '?' },
        ],
      }),
    )
    expect(requests[1]?.messages.slice(1)).toEqual(
      [{ id: 'u1', role: 'user', content: 'one, edited' }].map(({ role, content }) => ({ role, content })),
    )
    expect(lines).toContain('warning unknown-tool-result')
  })

  test('gives calls ids of their own when the model repeats one', async () => {
    const { say } = world((_t, { messages }) =>
      messages.at(-1)?.role === 'tool' ? 'ok' : { toolCalls: [{ name: 'boom', args: {}, id: 'call_0' }] },
    )
    const ids = [...(await say('a')), ...(await say('b'))].flatMap((e) =>
      e.type === 'llm_end' ? e.payload.message.tool_calls.map((call) => call.id) : [],
    )
    expect(new Set(ids).size).toBe(2)
  })
})

describe('a task', () => {
  test('shows its sub-tasks as calls of their own', async () => {
    const helper = Task(ChatAgent({ name: 'helper', model: MockLM({ fallback: 'six' }) }), {
      singleRound: true,
    })
    const answers = ['2*3?', 'DONE six']
    const main = ChatAgent({ name: 'main', model: MockLM({ respond: () => answers.shift()! }) })
    const { say } = harness(LangroidAgent(Task(main, { subTasks: [helper] })))
    expect(outline(await say('go'))).toEqual([
      'start main',
      'ask',
      'text 2*3?',
      'said ',
      'start helper',
      'ask',
      'text six',
      'said ',
      'end helper ok',
      'ask',
      'text DONE six',
      'said ',
      'end main ok',
    ])
  })

  test('pauses for a frontend tool and goes on with its result', async () => {
    const main = ChatAgent({
      name: 'main',
      model: MockLM({
        respond: (text) =>
          text === 'go' ? { toolCalls: [{ name: 'change_background', args: {}, id: 'c1' }] } : `DONE ${text}`,
      }),
    })
    const { run } = harness(LangroidAgent(Task(main)))
    await run({ messages: [{ id: 'u', role: 'user', content: 'go' }] }, [background])
    const lines = outline(
      await run({ messages: [{ id: 'r', role: 'tool', tool_call_id: 'c1', content: 'refused' }] }, [
        background,
      ]),
    )
    expect(lines).toContain('text DONE ref')
  })
})

describe('threads', () => {
  test('stay bounded, and a busy one refuses a second run', async () => {
    const source = LangroidAgent(ChatAgent({ name: 'chat', model: MockLM({ delay: 5 }) }), {
      threads: { max: 50 },
    })
    const threads = localThreads(source, { max: 50, idleMs: 60_000 })
    const request = { kind: 'input' as const, input: { messages: [{ role: 'user', content: 'hi' }] } }
    const never = new AbortController().signal
    for (let i = 0; i < 200; i++) {
      const start = { thread_id: `t${i}`, run_id: 'r', agent: 'chat', request, tools: [], configurable: {} }
      await threads.start(start)
      if (i === 0)
        await expect(threads.start({ ...start, run_id: 'r2' })).rejects.toMatchObject({ code: 'busy' })
      await threads.settled(`t${i}`, 'r', never)
    }
    expect(source.threadCount).toBeLessThanOrEqual(50)
  })

  test('run side by side: two runs of a second take a second', async () => {
    const { threads } = harness(
      LangroidAgent(ChatAgent({ name: 'chat', model: MockLM({ fallback: 'x'.repeat(80), delay: 20 }) })),
    )
    const request = { kind: 'input' as const, input: { messages: [{ role: 'user', content: 'hi' }] } }
    const never = new AbortController().signal
    const began = performance.now()
    await Promise.all(
      ['a', 'b'].map(async (thread_id) => {
        await threads.start({ thread_id, run_id: 'r', agent: 'chat', request, tools: [], configurable: {} })
        await threads.settled(thread_id, 'r', never)
      }),
    )
    expect(performance.now() - began).toBeLessThan(390)
  })

  test('stop soon when a run is cancelled', async () => {
    const { threads } = harness(
      LangroidAgent(ChatAgent({ name: 'chat', model: MockLM({ fallback: 'x'.repeat(800), delay: 50 }) })),
    )
    const request = { kind: 'input' as const, input: { messages: [{ role: 'user', content: 'hi' }] } }
    const never = new AbortController().signal
    await threads.start({ thread_id: 't', run_id: 'r', agent: 'chat', request, tools: [], configurable: {} })
    for await (const entry of threads.read('t', { after: 0, follow: true, signal: never }))
      if (entry.envelope.type === 'llm_token') break
    await threads.cancel('t', 'r')
    expect(await threads.settled('t', 'r', never)).toMatchObject({ status: 'cancelled' })
    const envelopes: Envelope[] = []
    for await (const entry of threads.read('t', { after: 0, follow: false, signal: never }))
      envelopes.push(entry.envelope)
    expect(verify(envelopes)).toEqual([])
    expect(outline(envelopes).at(-1)).toBe('end chat cancelled')
  })
})
