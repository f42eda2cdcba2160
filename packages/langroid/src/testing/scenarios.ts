import { LLMock } from '@copilotkit/aimock'
import type { Message, Tool } from '@ag-ui/client'
import { z } from 'zod'
import type { LangroidAgentConfig } from '../config.ts'
import { ChatAgent } from '../native/chat-agent.ts'
import { OpenAIModel } from '../native/openai-model.ts'
import { ToolMessage } from '../native/tool-message.ts'

/** A conversation that must read the same on every backend. Each turn adds messages and runs. */
export interface Scenario {
  readonly name: string
  readonly turns: readonly (readonly Message[])[]
  /** Types of the events, deltas of one message joined. */
  readonly events: readonly (readonly string[])[]
  /** What the last run said. */
  readonly says?: string
  /** State after the last run. */
  readonly state?: unknown
}

const user = (id: string, content: string): Message => ({ id, role: 'user', content })
export const TEXT = ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END']
export const CALL = ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END']
const REASONING = [
  'REASONING_START',
  'REASONING_MESSAGE_START',
  'REASONING_MESSAGE_CONTENT',
  'REASONING_MESSAGE_END',
  'REASONING_END',
]
export const BEGIN = ['RUN_STARTED', 'STATE_SNAPSHOT']
const END = ['RUN_FINISHED']

export const scenarios: readonly Scenario[] = [
  {
    name: 'text',
    turns: [[user('u1', 'say hello')]],
    events: [[...BEGIN, ...TEXT, ...END]],
    says: 'Hello from aimock.',
  },
  {
    name: 'reasoning',
    turns: [[user('u1', 'reason first')]],
    events: [[...BEGIN, ...REASONING, ...TEXT, ...END]],
    says: 'Therefore.',
  },
  {
    name: 'a frontend tool that the user refuses',
    turns: [
      [user('u1', 'make it blue')],
      [{ id: 'r1', role: 'tool', toolCallId: 'call_blue', content: '{"ok":false,"why":"user refused"}' }],
      [user('u2', 'say hello')],
    ],
    events: [
      [...BEGIN, ...CALL, ...END],
      [...BEGIN, ...TEXT, ...END],
      [...BEGIN, ...TEXT, ...END],
    ],
    says: 'Hello from aimock.',
  },
  {
    name: 'a backend tool with state hooks',
    turns: [[user('u1', 'weather please')], [user('u2', 'say hello')]],
    events: [
      [...BEGIN, ...CALL, 'STATE_DELTA', 'STATE_DELTA', 'TOOL_CALL_RESULT', 'STATE_DELTA', ...TEXT, ...END],
      [...BEGIN, ...TEXT, ...END],
    ],
    says: 'Hello from aimock.',
    state: { wanted: 'Paris', working: 'Paris', weather: { location: 'Paris', temperature: 20 } },
  },
  {
    name: 'a handler that throws',
    turns: [[user('u1', 'please fail')]],
    events: [[...BEGIN, ...CALL, 'TOOL_CALL_RESULT', ...TEXT, ...END]],
    says: 'It failed.',
  },
  {
    name: 'an unknown tool',
    turns: [[user('u1', 'launch it')]],
    // The client is warned, but never asked to run it.
    events: [[...BEGIN, 'CUSTOM', ...TEXT, ...END]],
    says: 'I cannot.',
  },
  {
    name: 'parallel and mixed calls',
    turns: [[user('u1', 'do both')], [{ id: 'r1', role: 'tool', toolCallId: 'call_m2', content: 'done' }]],
    events: [
      [
        ...BEGIN,
        ...TEXT,
        ...CALL.slice(0, 2),
        ...CALL.slice(0, 2),
        ...CALL,
        'TOOL_CALL_END',
        'TOOL_CALL_END',
        'STATE_DELTA',
        'STATE_DELTA',
        'TOOL_CALL_RESULT',
        'STATE_DELTA',
        'TOOL_CALL_RESULT',
        ...END,
      ],
      [...BEGIN, ...TEXT, ...END],
    ],
    says: 'Both done.',
  },
  {
    name: 'words from a hook instead of the model',
    turns: [[user('u1', 'tell the time')]],
    events: [[...BEGIN, ...CALL, 'TOOL_CALL_RESULT', ...TEXT, ...END]],
    says: 'It is noon.',
  },
  {
    name: 'a model that answers with an error',
    turns: [[user('u1', 'be broken')], [user('u2', 'say hello')]],
    events: [
      [...BEGIN, 'RUN_ERROR'],
      [...BEGIN, ...TEXT, ...END],
    ],
    says: 'Hello from aimock.',
  },
  {
    name: 'a model that breaks off',
    turns: [[user('u1', 'break off')], [user('u2', 'say hello')]],
    events: [
      [...BEGIN, ...TEXT, 'RUN_ERROR'],
      [...BEGIN, ...TEXT, ...END],
    ],
    says: 'Hello from aimock.',
  },
]

export const frontendTools: Tool[] = [
  {
    name: 'change_background',
    description: 'To change the background.',
    parameters: { type: 'object', properties: { background: { type: 'string' } }, required: ['background'] },
  },
]

/** The hooks of every scenario. The tools are the same in `scenario_app.py`. */
export const scenarioConfig: LangroidAgentConfig = {
  name: 'scenario',
  toolBehaviors: {
    get_weather: {
      stateFromArgs: ({ args }) => ({ wanted: z.object({ location: z.string() }).parse(args).location }),
      stateFromResult: ({ result }) => ({ weather: result }),
    },
    get_time: { responseFromResult: ({ result }) => `It is ${z.string().parse(result)}.` },
  },
}

export function scenarioAgent(baseUrl: string): ChatAgent {
  const GetWeather = ToolMessage({
    request: 'get_weather',
    purpose: 'To get the weather of a <location>.',
    fields: z.object({ location: z.string() }),
    handle: async ({ location }, { update }) => {
      await update({ state: { working: location } })
      return JSON.stringify({ location, temperature: 20 })
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
  const GetTime = ToolMessage({
    request: 'get_time',
    purpose: 'To get the time.',
    fields: z.object({}),
    handle: () => 'noon',
  })
  return ChatAgent({
    name: 'scenario',
    systemMessage: 'You are a test.',
    model: OpenAIModel({ model: 'gpt-4o', baseUrl, apiKey: 'none', retries: 0 }),
    tools: [GetWeather, Boom, GetTime],
  })
}

/** The model of every scenario: aimock on a port of its own. */
export async function scenarioModel(): Promise<{
  baseUrl: string
  requests: () => readonly unknown[]
  stop(): Promise<void>
}> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize: 6 })
  const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: JSON.stringify(args) })
  const blue = call('call_blue', 'change_background', { background: 'blue' })
  const ask = (userMessage: string) => ({ userMessage, endpoint: 'chat' as const, hasToolResult: false })
  mock.on({ toolResultContains: 'user refused', endpoint: 'chat' }, { content: 'As you wish.' })
  mock.on({ toolResultContains: '"temperature"', endpoint: 'chat' }, { content: 'It is warm.' })
  mock.on({ toolResultContains: 'kaputt', userMessage: 'fail', endpoint: 'chat' }, { content: 'It failed.' })
  mock.on({ toolResultContains: 'There is no tool', endpoint: 'chat' }, { content: 'I cannot.' })
  mock.on({ userMessage: 'do both', hasToolResult: true, endpoint: 'chat' }, { content: 'Both done.' })
  mock.on(ask('say hello'), { content: 'Hello from aimock.' })
  mock.on(ask('say it slowly'), { content: 'Tick tock tick tock tick tock.' }, { latency: 60 })
  mock.on(ask('take your time'), { content: 'Tick tock. '.repeat(40) }, { latency: 100 })
  mock.on(ask('reason first'), { content: 'Therefore.', reasoning: 'Let me think.' })
  mock.on(ask('make it blue'), { toolCalls: [blue] })
  mock.on(ask('weather please'), { toolCalls: [call('call_w', 'get_weather', { location: 'Paris' })] })
  mock.on(ask('please fail'), { toolCalls: [call('call_b', 'boom', {})] })
  mock.on(ask('launch it'), { toolCalls: [call('call_x', 'launch_rocket', { to: 'Mars' })] })
  mock.on(ask('tell the time'), { toolCalls: [call('call_t', 'get_time', {})] })
  mock.on(ask('do both'), {
    content: 'On it.',
    toolCalls: [
      call('call_m1', 'get_weather', { location: 'Rome' }),
      call('call_m2', 'change_background', { background: 'red' }),
      call('call_m3', 'boom', {}),
    ],
  })
  mock.on(ask('be broken'), {
    error: { message: 'no such model', type: 'invalid_request_error' },
    status: 404,
  })
  mock.on(
    ask('break off'),
    { content: 'This answer will never be complete, sorry.' },
    { truncateAfterChunks: 5, latency: 15 },
  )
  await mock.start()
  return { baseUrl: `${mock.url}/v1`, requests: () => mock.getRequests(), stop: () => mock.stop() }
}
