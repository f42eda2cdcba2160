import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { describe, expect, test } from 'vitest'
import { broken, loopGraph, nestedGraph, parallelGraph, search } from '../testing/graphs.ts'
import { fromGraph } from '../index.ts'
import { recordRun, story } from '../testing/index.ts'
import { adapt, type AdaptOptions } from './adapt.ts'

const input = { messages: [{ role: 'user', content: 'hi' }] }

async function adapted(
  events: AsyncIterable<unknown> | Iterable<unknown>,
  options?: AdaptOptions,
): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  for await (const envelope of adapt(events, options)) envelopes.push(envelope)
  return envelopes
}

/** The calls, what they said and how they ended, without what only some forms know. */
function essence(envelopes: readonly Envelope[]): string[] {
  const said = new Map<string, string>()
  const told = story(envelopes).split('\n')
  for (const line of told) {
    const [, name = '', text = ''] = /^(.*): says "(.*)"$/.exec(line) ?? []
    if (text !== '') said.set(name, (said.get(name) ?? '') + text)
  }
  const facts = told.filter((line) => !/: (updates|warns|says|calls|fails) |: graph starts/.test(line))
  const spoken = [...said].map(
    ([name, text]) => `${name} said ${text.replaceAll(' ', '').split('').sort().join('')}`,
  )
  return [...facts, ...spoken].sort()
}

/** Graphs of one type, so that one test can run them all. */
const graphs: Record<string, () => ReturnType<typeof loopGraph>> = {
  'two sub-agents in one ToolNode': () => parallelGraph(),
  'a tool that fails': () =>
    loopGraph(
      [{ toolCalls: [{ id: 'b1', name: 'broken', args: {} }] }, { text: 'it is broken' }],
      [broken, search],
    ),
}

describe('the same run in another form has the same calls', () => {
  test.each(Object.entries(graphs))('%s, from streamEvents v2', async (_name, make) => {
    const live = await recordRun(fromGraph(make()), { kind: 'input', input })
    const events = make().streamEvents(input, { version: 'v2', configurable: { thread_id: 't' } })
    const envelopes = await adapted(events)
    expect(verify(envelopes)).toEqual([])
    expect(essence(envelopes)).toEqual(essence(live.envelopes))
  })

  test.each(Object.entries(graphs))('%s, from stream()', async (name, make) => {
    const live = await recordRun(fromGraph(make()), { kind: 'input', input })
    const streamMode = [
      'messages' as const,
      'tools' as const,
      'tasks' as const,
      'values' as const,
      'updates' as const,
    ]
    const chunks = await make().stream(input, { streamMode, subgraphs: true })
    const label = live.envelopes[0]?.agent ?? name
    const envelopes = await adapted(chunks, { label })
    expect(verify(envelopes)).toEqual([])
    expect(essence(envelopes)).toEqual(essence(live.envelopes))
  })
})

describe('a stream', () => {
  test('that is empty gives nothing', async () => {
    expect(await adapted([])).toEqual([])
  })

  test('with lines that are no events says so, and the rest is still read', async () => {
    const chunks = [{ nonsense: true }, [[], 'values', { count: 1 }], 'text', [[], 'values', { count: 2 }]]
    const envelopes = await adapted(chunks, { label: 'odd' })
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toContain('odd: warns unreadable-event')
    expect(story(envelopes)).toContain('{"state":{"count":2}}')
  })

  test('that breaks off ends with an error that says so', async () => {
    const events: unknown[] = []
    for await (const event of nestedGraph().streamEvents(input, { version: 'v2' })) {
      events.push(event)
      if (event.event === 'on_chat_model_stream') break
    }
    const envelopes = await adapted(events)
    expect(verify(envelopes)).toEqual([])
    expect(envelopes.at(-1)).toMatchObject({
      type: 'error',
      payload: { message: 'The stream ends before the run does.' },
    })
  })

  test('with parents (LangGraph for Python gives them) needs no namespaces', async () => {
    const event = (kind: string, run_id: string, parent_ids: string[], rest: object = {}): object => ({
      event: kind,
      run_id,
      parent_ids,
      name: run_id,
      tags: run_id.startsWith('node') ? ['graph:step:1'] : [],
      metadata: {},
      data: {},
      ...rest,
    })
    const envelopes = await adapted([
      event('on_chain_start', 'root', []),
      event('on_chain_start', 'node', ['root']),
      event('on_tool_start', 'task', ['root', 'node'], { data: { input: { goal: 'x' } } }),
      event('on_chain_start', 'inner', ['root', 'node', 'task']),
      event('on_chain_start', 'node-2', ['root', 'node', 'task', 'inner']),
      event('on_chat_model_start', 'model', ['root', 'node', 'task', 'inner', 'node-2']),
      event('on_chat_model_stream', 'model', [], {
        data: { chunk: { content: 'hi', type: 'AIMessageChunk' } },
      }),
      event('on_chat_model_end', 'model', [], { data: { output: { type: 'ai', content: 'hi', id: 'm' } } }),
      event('on_chain_end', 'node-2', []),
      event('on_chain_end', 'inner', []),
      event('on_tool_end', 'task', [], { data: { output: 'done' } }),
      event('on_chain_end', 'node', []),
      event('on_chain_end', 'root', [], { data: { output: { messages: [] } } }),
    ])
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toContain('root/task/model: says "hi"')
    expect(story(envelopes)).not.toContain('parents-recovered')
  })

  test('of plain callbacks, named by type and with their fields beside it, is read too', async () => {
    const envelopes = await adapted(
      [
        { type: 'on_chain_start', id: 'root', inputs: { messages: [] } },
        { type: 'on_chat_model_start', id: 'model', name: 'gpt' },
        { type: 'on_llm_new_token', id: 'model', token: 'Hel' },
        { type: 'on_chat_model_token', id: 'model', token: 'lo' },
        { type: 'on_chat_model_end', id: 'model', outputs: { type: 'ai', content: 'Hello', id: 'm' } },
        { type: 'on_tool_start', id: 'tool', name: 'search', inputs: { q: 'x' } },
        { type: 'on_tool_error', id: 'tool', error: { name: 'RangeError', message: 'too far' } },
        {
          type: 'on_chain_end',
          id: 'root',
          outputs: { messages: [{ role: 'assistant', content: 'Hello' }] },
        },
      ],
      { label: 'research' },
    )
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "research: graph starts
      research: warns parents-recovered
      research/gpt: model starts
      research/gpt: says "Hello"
      research/gpt: ends stop
      research/search: tool starts {"q":"x"}
      research/search: fails RangeError: too far
      research: ends ok"
    `)
  })

  test('of an API server is unwrapped', async () => {
    const envelopes = await adapted(
      [
        { id: '0', event: 'metadata', data: { run_id: 'r', attempt: 1 } },
        { id: '1', event: 'tasks', data: { id: 't', name: 'agent', input: {}, triggers: [] } },
        {
          id: '2',
          event: 'messages|agent:t',
          data: [{ type: 'ai', id: 'm', content: 'hi' }, { ls_model_name: 'gpt' }],
        },
        { id: '3', event: 'error', data: { error: 'RangeError', message: 'too far' } },
      ],
      { label: 'remote' },
    )
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toContain('remote/gpt: says "hi"')
    expect(story(envelopes)).toContain('remote: fails RangeError: too far')
  })
})

describe('what cannot be read', () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no')
      },
    },
  )
  const start = { event: 'on_chain_start', run_id: 'r', name: 'main', data: { input }, metadata: {} }
  const end = { event: 'on_chain_end', run_id: 'r', name: 'main', data: { output: { messages: [] } } }

  test('is counted, told in one warning, and what follows is still read', async () => {
    const unread: number[] = []
    const envelopes = await adapted(
      [start, 7, { hello: 1 }, { event: 'on_tool_start', run_id: 't', data: hostile }, end],
      { onUnreadable: (event) => unread.push(event) },
    )
    expect(verify(envelopes)).toEqual([])
    expect(unread).toEqual([2, 3, 4])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main: warns parents-recovered
      main: warns unreadable-event
      main: ends ok"
    `)
  })

  test.each([
    ['null', null, ''],
    ['an object', { q: 1 }, '{"q":1}'],
    ['a function', () => 1, ''],
  ])('arguments of a tool call that are %s become text', async (_name, args, text) => {
    const chunk = {
      type: 'AIMessageChunk',
      content: '',
      tool_call_chunks: [{ index: 0, id: 'c', name: 'x', args }],
    }
    const model = { run_id: 'm', name: 'model', metadata: {} }
    const envelopes = await adapted([
      start,
      { ...model, event: 'on_chat_model_start', data: {} },
      { ...model, event: 'on_chat_model_stream', data: { chunk } },
      { ...model, event: 'on_chat_model_end', data: { output: { type: 'ai', content: '', id: 'a' } } },
      end,
    ])
    expect(verify(envelopes)).toEqual([])
    expect(envelopes.find(({ type }) => type === 'llm_token')?.payload).toMatchObject({ text })
  })
})
