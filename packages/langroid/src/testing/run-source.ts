import { memoryThreads } from '@clewline/agui'
import { verify } from '@clewline/core/check'
import type { Envelope, JsonObject } from '@clewline/core'
import type { FrontendTool } from '@clewline/core/source'
import { expect } from 'vitest'
import { z } from 'zod'
import type { LangroidAgentConfig } from '../config.ts'
import { LangroidAgent } from '../langroid-agent.ts'
import { ChatAgent } from '../native/chat-agent.ts'
import type { ModelRequest } from '../native/language-model.ts'
import { MockLM, type MockResponse } from '../native/mock-lm.ts'
import { ToolMessage } from '../native/tool-message.ts'

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
export const background: FrontendTool = {
  name: 'change_background',
  description: 'To change the background.',
  parameters: { type: 'object', properties: { background: { type: 'string' } } },
}

/** A chat agent whose model is a function, and everything that it was asked. */
export function world(
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

/** A source in a process of its own; every run is verified. */
export function harness(source: LangroidAgent) {
  const threads = memoryThreads({ agents: { [source.name]: source }, keep: 'trace' })
  let runs = 0
  async function run(input: JsonObject, tools: readonly FrontendTool[] = []): Promise<readonly Envelope[]> {
    const run_id = `run-${++runs}`
    const request = { kind: 'input' as const, input }
    const never = new AbortController().signal
    const { position } = await threads.start({
      thread_id: 't',
      run_id,
      agent: source.name,
      request,
      tools,
      configurable: {},
    })
    await threads.settled('t', run_id, never)
    const envelopes: Envelope[] = []
    for await (const entries of threads.read('t', { after: position, follow: false, signal: never }))
      envelopes.push(...entries.map(({ envelope }) => envelope))
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
export function outline(envelopes: readonly Envelope[]): string[] {
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
