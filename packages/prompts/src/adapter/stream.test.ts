import { describe, expect, test } from 'vitest'
import {
  createSession,
  definePrompt,
  LangGraphAdapter,
  ok,
  section,
  tool,
  type StreamPart,
} from '../index.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

let pings = 0
const ping = tool({
  name: 'ping',
  description: 'd',
  handler: (_, { progress }) => {
    pings += 1
    progress({ done: 1 })
    return ok('pong')
  },
})
const prompt = definePrompt({
  ns: 'test',
  key: 'stream',
  sections: [section({ key: 'task', title: 'Task', template: 'Go.', tools: [ping] })],
}).bind()

describe('a stream', () => {
  test('tells text, tools, state and events in order, and ends with the response', async () => {
    const model = new ScriptedModel([
      { text: 'Let me see. ', calls: [{ name: 'ping', id: 'c1' }] },
      { text: 'It says pong.' },
    ])
    const stream = new LangGraphAdapter({ model }).stream(prompt, { session: createSession() })
    const parts: StreamPart<undefined>[] = []
    for await (const part of stream) parts.push(part)
    expect(parts.map((part) => (part.type === 'event' ? part.event.type : part.type))).toEqual([
      'PromptRendered',
      'text',
      'text',
      'text',
      'ModelCalled',
      'state',
      'tool-start',
      'tool-progress',
      'ToolInvoked',
      'tool-end',
      'state',
      'text',
      'text',
      'text',
      'ModelCalled',
      'state',
      'PromptExecuted',
      'final',
    ])
    expect(parts.flatMap((part) => (part.type === 'text' ? [part.delta] : [])).join('')).toBe(
      'Let me see. It says pong.',
    )
    expect(parts).toContainEqual({ type: 'tool-end', callId: 'c1', name: 'ping', result: 'pong' })
    expect(parts).toContainEqual({ type: 'tool-progress', callId: 'c1', name: 'ping', data: { done: 1 } })
    expect(parts.at(-1)).toEqual({ type: 'final', response: await stream.response })
  })

  test('B49: leaving it stops the run', async () => {
    const model = new ScriptedModel([{ text: 'One. ', calls: [{ name: 'ping' }] }])
    const stream = new LangGraphAdapter({ model }).stream(prompt, { session: createSession() })
    for await (const part of stream) if (part.type === 'tool-end') break
    const before = [model.seen.length, pings]
    await expect(stream.response).rejects.toMatchObject({ name: 'AbortError' })
    await new Promise((resolve) => setImmediate(resolve))
    expect([model.seen.length, pings]).toEqual(before)
  })

  test('a failure is thrown after what came before it', async () => {
    const model = new ScriptedModel([
      { text: 'One.', calls: [{ name: 'ping' }] },
      { error: new Error('offline') },
    ])
    const stream = new LangGraphAdapter({ model }).stream(prompt, { session: createSession() })
    const types: string[] = []
    const reading = (async () => {
      for await (const part of stream) types.push(part.type)
    })()
    await expect(reading).rejects.toMatchObject({ name: 'PromptEvaluationError', message: 'offline' })
    expect(types).toContain('tool-end')
    await expect(stream.response).rejects.toThrow('offline')
  })
})
