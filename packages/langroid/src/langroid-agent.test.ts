import { describe, expect, test } from 'vitest'
import { LanguageModelError, type ModelRequest } from './native/language-model.ts'
import type { MockResponse } from './native/mock-lm.ts'
import { background, outline, world } from './testing/run-source.ts'

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
