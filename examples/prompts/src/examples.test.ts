import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'
import { recordRun } from '@clewline/langgraph/testing'
import { createClewline, serve } from '@clewline/server'
import { describe, expect, test } from 'vitest'
import { approval, calculator, extraction, sources } from './index.ts'

/** A provider on loopback that answers as a function of what it is asked. */
async function provider(answer: (request: ChatCompletionRequest) => FixtureResponse) {
  const server = new LLMock({ port: 0 })
  server.on({ predicate: () => true }, answer)
  await server.start()
  const configuration = { baseURL: `${server.url}/v1` }
  return {
    openai: new ChatOpenAI({ model: 'test', apiKey: 'none', maxRetries: 0, configuration }),
    ollama: new ChatOllama({ model: 'test', baseUrl: server.url, maxRetries: 0 }),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

const call = (name: string, args: object): FixtureResponse => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
})
const results = ({ messages }: ChatCompletionRequest) =>
  messages.filter((each) => each.role === 'tool').map((each) => JSON.stringify(each.content))
const adding = (request: ChatCompletionRequest) => {
  const [sum] = results(request)
  return sum === undefined ? call('add', { a: 2, b: 2 }) : { content: `The result is ${JSON.parse(sum)}.` }
}

describe.each(['openai', 'ollama'] as const)('with the client of %s', (client) => {
  test('the calculator calculates, and shows what it does', async () => {
    await using server = await provider(adding)
    let shown = ''
    const answer = await calculator(server[client], '2 + 2', (text) => (shown += text))
    expect(answer).toBe('The result is 4.')
    expect(shown).toBe('[add {"a":2,"b":2}]\nThe result is 4.')
  })

  test('the extraction returns people', async () => {
    const ada = { name: 'Ada Lovelace', born: 1815, roles: ['mathematician'] }
    await using server = await provider(() =>
      call('submit_output', { items: [ada, { name: 'Charles Babbage', born: null }] }),
    )
    expect(await extraction(server[client], 'Ada …', 'tool')).toEqual([
      ada,
      { name: 'Charles Babbage', born: null, roles: [] },
    ])
  })

  test.each([
    [true, 'Sent to ada@example.com.', [{ to: 'ada@example.com', subject: 'Lunch?' }]],
    [false, "Tool 'send_mail' was denied: The user said no.", []],
  ])('the mail waits for an answer; the answer is %s', async (decision, told, sent) => {
    await using server = await provider((request) => {
      const [result] = results(request)
      return result === undefined
        ? call('send_mail', { to: 'ada@example.com', subject: 'Lunch?' })
        : { content: `I was told: ${JSON.parse(result)}` }
    })
    const questions: unknown[] = []
    const outcome = await approval(server[client], 'Write to Ada.', (question) => {
      questions.push(question)
      return decision
    })
    expect(questions).toMatchObject([
      { type: 'approval', tool: 'send_mail', params: { to: 'ada@example.com' } },
    ])
    expect(outcome).toEqual({ answer: `I was told: ${told}`, sent })
  })
})

describe('as agents of a server', () => {
  const post = (url: string, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('the calculator runs, shows its budget, and speaks AG-UI', async () => {
    await using models = await provider(adding)
    const clewline = await createClewline({
      agents: sources(models.openai),
      store: ':memory:',
      studio: false,
    })
    const server = await serve(clewline, { port: 0 })
    try {
      const asked = [{ id: 'm1', role: 'user', content: '2 + 2?' }]
      await post(`${server.url}/api/threads`, { thread_id: 't1' })
      const run = await post(`${server.url}/api/threads/t1/runs`, {
        agent: 'calculator',
        input: { messages: asked },
      })
      expect(run.status).toBe(202)
      const events = () =>
        fetch(`${server.url}/api/threads/t1/events?profile=debug&follow=false`).then((each) => each.text())
      await expect.poll(events, { timeout: 10_000 }).toContain('The result is 4.')
      expect(await events()).toMatch(/"budget":\{"dimension":"total_tokens","used":\d+,"limit":10000\}/)

      const input = {
        threadId: 't2',
        runId: 'r1',
        messages: asked,
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      }
      const agui = await (await post(`${server.url}/agui/calculator`, input)).text()
      const types = [...agui.matchAll(/"type":"([A-Z_]+)"/g)].map((match) => match[1])
      expect(types[0]).toBe('RUN_STARTED')
      expect(types.at(-1)).toBe('RUN_FINISHED')
      expect(types).toContain('TOOL_CALL_RESULT')
      expect(types).toContain('TEXT_MESSAGE_CONTENT')
    } finally {
      await server.close()
    }
  })

  test('the extraction takes its text as a parameter', async () => {
    await using models = await provider(() =>
      call('submit_output', { items: [{ name: 'Ada Lovelace', born: 1815 }] }),
    )
    const { extraction: source } = sources(models.openai)
    if (source === undefined) throw new Error('There is no such source.')
    const { outcome, envelopes } = await recordRun(source, {
      kind: 'input',
      input: { params: { text: 'Ada …' } },
    })
    expect(outcome).toEqual({ status: 'success' })
    expect(envelopes.at(-1)?.payload).toMatchObject({
      result: { messages: [{ text: '{"items":[{"name":"Ada Lovelace","born":1815}]}' }] },
    })
  })
})
