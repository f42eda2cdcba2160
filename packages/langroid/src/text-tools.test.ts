import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { LangroidAgent } from './langroid-agent.ts'
import { ChatAgent } from './native/chat-agent.ts'
import type { ModelRequest } from './native/language-model.ts'
import { MockLM } from './native/mock-lm.ts'
import { ToolMessage } from './native/tool-message.ts'
import { background, harness, outline } from './testing/run-source.ts'

const Square = ToolMessage({
  request: 'square',
  purpose: 'To square a <number>.',
  fields: z.object({ number: z.number() }),
  handle: ({ number }) => String(number * number),
})

function world(answers: Readonly<Record<string, string>>) {
  const requests: ModelRequest[] = []
  const model = MockLM({
    pieceLength: 5,
    respond: (text, request) => {
      requests.push({ ...request, messages: [...request.messages] })
      return answers[text] ?? `re: ${text}`
    },
  })
  const agent = ChatAgent({ name: 'text', model, tools: [Square], toolFormat: 'text' })
  return { requests, ...harness(LangroidAgent(agent)) }
}

describe('an agent that writes its tools as text', () => {
  test('shows the words and the call, never the JSON', async () => {
    const { say, source } = world({
      go: 'I square. TOOL: {"request": "square", "number": 4} Wait.',
      '16': 'It is 16.',
    })
    const lines = outline(await say('go'))
    const words = lines.filter((line) => line.startsWith('text ')).map((line) => line.slice(5))
    expect(words.join('')).toBe('I square.  Wait.It is 16.')
    expect(lines).toContain('start square')
    expect(lines).toContain('tool_args {"number":4}')
    const { values } = await source.state!({ thread_id: 't', checkpointer: undefined })
    expect(values).toMatchObject({
      messages: [
        { role: 'user', text: 'go' },
        {
          role: 'assistant',
          text: 'I square.  Wait.',
          tool_calls: [{ name: 'square', args: { number: 4 } }],
        },
        { role: 'tool', text: '16' },
        { role: 'assistant', text: 'It is 16.' },
      ],
    })
  })

  test('reads results as words of the user, and remembers what it wrote', async () => {
    const { say, requests } = world({ go: '{"request": "square", "number": 3}' })
    await say('go')
    await say('and now?')
    expect(
      requests
        .at(-1)
        ?.messages.slice(1)
        .map((m) => [m.role, m.content]),
    ).toEqual([
      ['user', 'go'],
      ['assistant', 'TOOL: {"request":"square","number":3}'],
      ['user', '9'],
      ['assistant', 're: 9'],
      ['user', 'and now?'],
    ])
    expect(requests.every((request) => request.tools.length === 0)).toBe(true)
  })

  test('may call a tool of the client, and reads its result in the next run', async () => {
    const { run, requests } = world({ go: 'TOOL: {"request": "change_background", "background": "blue"}' })
    const first = await run({ messages: [{ id: 'u', role: 'user', content: 'go' }] }, [background])
    expect(outline(first)).toContain('end change_background pending_frontend')
    expect(requests[0]?.messages[0]?.content).toContain('TOOL: change_background')
    const call = first.flatMap((e) => (e.type === 'llm_end' ? e.payload.message.tool_calls : []))[0]
    await run({ messages: [{ id: 'r', role: 'tool', tool_call_id: call!.id, content: 'refused' }] }, [
      background,
    ])
    expect(requests.at(-1)?.messages.at(-1)).toEqual({ role: 'user', content: 'refused' })
  })
})
