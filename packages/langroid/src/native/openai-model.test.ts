import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, describe, expect, test } from 'vitest'
import type { ModelEvent } from './language-model.ts'
import { OpenAIModel } from './openai-model.ts'

type Answer = (response: ServerResponse, body: Record<string, unknown>) => void

/** A server that gives one answer after the other, and what it was asked. */
async function provider(...answers: readonly Answer[]) {
  const bodies: Record<string, unknown>[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const body: Record<string, unknown> = JSON.parse(text)
      bodies.push(body)
      answers[Math.min(bodies.length, answers.length) - 1]?.(response, body)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const model = OpenAIModel({
    model: 'm',
    baseUrl: `http://127.0.0.1:${port}/v1/`,
    apiKey: 'k',
    params: { temperature: 0 },
  })
  const read = async (signal = new AbortController().signal): Promise<ModelEvent[]> => {
    const events: ModelEvent[] = []
    for await (const event of model.stream({
      messages: [{ role: 'user', content: 'hi' }],
      tools: [],
      signal,
    }))
      events.push(event)
    return events
  }
  return { bodies, read, model }
}

const chunks =
  (...data: readonly unknown[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const one of data) response.write(`data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`)
    response.end()
  }
const delta = (delta: object, finish_reason: string | null = null): object => ({
  choices: [{ delta, finish_reason }],
})
const status =
  (code: number, body: string): Answer =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json' }).end(body)

describe('an OpenAI-compatible model', () => {
  test('streams reasoning, text, tool arguments and usage', async () => {
    const { read, bodies } = await provider(
      chunks(
        delta({ role: 'assistant', content: null }),
        delta({ reasoning_content: 'hm' }),
        delta({ content: 'Hi' }),
        delta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
        delta({ tool_calls: [{ index: 1, id: 'c2', function: { name: 'g', arguments: '{}' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
        delta({}, 'tool_calls'),
        {
          choices: [],
          usage: {
            prompt_tokens: 3,
            completion_tokens: 4,
            total_tokens: 7,
            prompt_tokens_details: { cached_tokens: 1 },
          },
        },
        '[DONE]',
      ),
    )
    expect(await read()).toEqual([
      { type: 'reasoning', delta: 'hm' },
      { type: 'text', delta: 'Hi' },
      { type: 'tool_name', index: 0, id: 'c1', name: 'f' },
      { type: 'tool_args', index: 0, delta: '{"a"' },
      { type: 'tool_name', index: 1, id: 'c2', name: 'g' },
      { type: 'tool_args', index: 1, delta: '{}' },
      { type: 'tool_args', index: 0, delta: ':1}' },
      {
        type: 'end',
        finish_reason: 'tool_calls',
        usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7, cached_tokens: 1 },
      },
    ])
    expect(bodies[0]).toMatchObject({
      model: 'm',
      stream: true,
      temperature: 0,
      messages: [{ role: 'user', content: 'hi' }],
    })
  })

  test('tries again when the provider is busy, and not when it refuses', async () => {
    const busy = await provider(
      status(429, '{}'),
      status(503, 'down'),
      chunks(delta({ content: 'ok' }, 'stop')),
    )
    expect((await busy.read())[0]).toEqual({ type: 'text', delta: 'ok' })
    expect(busy.bodies).toHaveLength(3)
    const refused = await provider(status(401, '{"error": {"message": "bad key"}}'))
    await expect(refused.read()).rejects.toMatchObject({
      name: 'LanguageModelError',
      status: 401,
      message: /bad key/,
    })
    expect(refused.bodies).toHaveLength(1)
  })

  test.each([
    ['ends without a finish reason', chunks(delta({ content: 'half' })), /broke off/],
    ['says an error', chunks({ error: { message: 'overloaded' } }), /overloaded/],
    ['says something that is not JSON', chunks('oops'), /not JSON/],
    ['says a chunk of another shape', chunks({ choices: 'none' }), /cannot be read/],
  ])('fails when the stream %s', async (_name, answer, message) => {
    const { read } = await provider(answer)
    await expect(read()).rejects.toThrow(message)
  })

  test('says so when there is no server', async () => {
    const model = OpenAIModel({ model: 'm', baseUrl: 'http://127.0.0.1:9', retries: 0 })
    const stream = model.stream({ messages: [], tools: [], signal: new AbortController().signal })
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow(/could not be reached/)
  })

  test('stops at once when told to', async () => {
    const { read } = await provider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`)
    })
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    await expect(read(stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
  })
})
