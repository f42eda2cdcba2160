import { HttpAgent } from '@ag-ui/client'
import { HttpAgent as HttpAgentV0 } from '@ag-ui/client-v0'
import { HttpAgent as HttpAgentV37 } from '@ag-ui/client-v37'
import { describe, expect, test } from 'vitest'
import { ConnectableHttpAgent } from '../client/index.ts'
import { judge } from '../testing/judge.ts'
import { eventsOf, parseSse, post } from '../testing/post.ts'
import { gate } from '../testing/gate.ts'
import { hello, serveScene } from '../testing/serve-scene.ts'

describe('run', () => {
  test.each([
    ['1.0.0', HttpAgent],
    ['0.0.59', HttpAgentV0],
    ['0.0.37', HttpAgentV37],
    ['ours', ConnectableHttpAgent],
  ])('HttpAgent %s holds a conversation over HTTP', async (_version, Agent) => {
    const server = await serveScene(hello)
    const agent = new Agent({ url: server.url('agent'), threadId: 'thread' })
    agent.messages = [{ id: 'u1', role: 'user', content: 'Hi' }]
    await agent.runAgent({})
    agent.messages.push({ id: 'u2', role: 'user', content: 'Again' })
    await agent.runAgent({})
    expect(agent.messages.map(({ id, content }) => [id, content])).toEqual([
      ['u1', 'Hi'],
      ['a1', 'Hello there'],
      ['u2', 'Again'],
      ['a3', 'Hello there'],
    ])
  })

  test('only what the client changed in the state reaches the agent, and the state comes back as a snapshot', async () => {
    const inputs: unknown[] = []
    const server = await serveScene(async ({ request, values, emit }) => {
      inputs.push(request.kind === 'input' ? request.input : null)
      values['count'] = 1
      values['list'] = ['a']
      await emit({
        type: 'tool_update',
        path: [],
        payload: { tool_name: 'agent', delta: { state: { count: 1, list: ['a'] } } },
      })
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't', initialState: { mine: true } })
    await agent.runAgent({})
    expect(agent.state).toEqual({ mine: true, count: 1, list: ['a'] })
    agent.state = { ...agent.state, count: 2 }
    await agent.runAgent({})
    expect(inputs).toEqual([
      { messages: [], mine: true },
      { messages: [], mine: true, count: 2 },
    ])
  })

  test('an interrupt is the outcome, and its answer resumes the run by id', async () => {
    const answers: unknown[] = []
    const server = await serveScene(async ({ request, emit, say }) => {
      if (request.kind === 'resume') {
        answers.push(request.answers)
        await say(['l'], 'a1', ['Done'])
        return undefined
      }
      const interrupts = [{ id: 'i1', value: { question: 'Sure?' } }]
      const payload = { checkpoint_id: 'c', node: 'n', state_digest: '', interrupts }
      await emit({ type: 'subgraph_checkpoint', path: [], payload })
      return { status: 'interrupted', interrupts }
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't' })
    await agent.runAgent({})
    expect(agent.pendingInterrupts).toMatchObject([{ id: 'i1', message: 'Sure?' }])
    const later = new ConnectableHttpAgent({ url: server.url('agent'), threadId: 't' })
    await later.connectAgent({})
    expect(later.pendingInterrupts).toMatchObject([{ id: 'i1' }])
    await later.runAgent({ resume: [{ interruptId: 'i1', status: 'resolved', payload: { yes: true } }] })
    expect(answers).toEqual([[{ interrupt_id: 'i1', value: { yes: true } }]])
    expect(later.messages.at(-1)).toMatchObject({ id: 'a1', content: 'Done' })
  })

  test('a client before 1.0 answers as CopilotKit used to', async () => {
    const answers: unknown[] = []
    const server = await serveScene(async ({ request, emit }) => {
      if (request.kind === 'resume') return void answers.push(request.answers)
      const interrupts = [{ id: 'i1', value: 'Sure?' }]
      const payload = { checkpoint_id: 'c', node: 'n', state_digest: '', interrupts }
      await emit({ type: 'subgraph_checkpoint', path: [], payload })
      return { status: 'interrupted', interrupts }
    })
    const asked: unknown[] = []
    const agent = new HttpAgentV37({ url: server.url('agent'), threadId: 't' })
    await agent.runAgent({}, { onCustomEvent: ({ event }) => void asked.push(event.value) })
    await agent.runAgent({ forwardedProps: { command: { resume: 'yes' } } })
    expect([asked, answers]).toEqual([['Sure?'], [[{ value: 'yes' }]]])
  })

  test('tools of the client reach the agent, and a call to one is pending until its result comes', async () => {
    const seen: unknown[] = []
    const server = await serveScene(async ({ request, emit, messages }) => {
      seen.push([request.tools?.map((tool) => tool.name), messages.at(-1)?.text])
      if (messages.at(-1)?.role === 'tool') return
      const path = ['c1']
      await emit({
        type: 'tool_start',
        path,
        payload: { tool_name: 'pick', kind: 'tool', args: {}, meta: { tool_call_id: 'c1' } },
      })
      await emit({
        type: 'tool_end',
        path,
        payload: { tool_name: 'pick', result: null, status: 'pending_frontend' },
      })
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't' })
    const tools = [{ name: 'pick', description: 'Pick one', parameters: { type: 'object' } }]
    const outcomes: unknown[] = []
    agent.messages = [{ id: 'u1', role: 'user', content: 'Pick' }]
    await agent.runAgent({ tools }, { onRunFinishedEvent: ({ event }) => void outcomes.push(event.outcome) })
    agent.messages = [...agent.messages, { id: 'r1', role: 'tool', toolCallId: 'c1', content: 'red' }]
    await agent.runAgent({ tools })
    expect(outcomes).toEqual([{ type: 'success', pendingToolCallIds: ['c1'] }])
    expect(seen).toEqual([
      [['pick'], 'Pick'],
      [['pick'], 'red'],
    ])
  })

  test('a second run on a busy thread is refused with a hint', async () => {
    const wait = gate()
    const server = await serveScene(() => wait.arrive())
    const first = post(server.url('agent'), { threadId: 't' })
    await wait.reached
    const second = await post(server.url('agent'), { threadId: 't' })
    expect([second.status, await second.json()]).toMatchObject([
      409,
      { error: { code: 'busy', hint: expect.any(String) } },
    ])
    wait.open()
    await (await first).text()
  })

  test('a run goes on when its client leaves', async () => {
    const wait = gate()
    const server = await serveScene(async ({ say }) => {
      await wait.arrive()
      await say(['l'], 'a1', ['still', ' here'])
    })
    const leaving = new AbortController()
    const left = fetch(server.url('agent'), {
      method: 'POST',
      body: '{"threadId":"t"}',
      signal: leaving.signal,
    })
    await (await left).body?.getReader().read()
    await wait.reached
    leaving.abort()
    wait.open()
    const agent = new ConnectableHttpAgent({ url: server.url('agent'), threadId: 't' })
    await agent.connectAgent({})
    expect(agent.messages).toMatchObject([{ id: 'a1', content: 'still here' }])
  })

  test('a failure is a RUN_ERROR after everything is closed', async () => {
    const server = await serveScene(async ({ emit }) => {
      await emit({ type: 'llm_start', path: ['l'], payload: { model: 'm', params: {} } })
      await emit({ type: 'llm_token', path: ['l'], payload: { text: 'Hel' } })
      throw new Error('boom')
    })
    const events = await eventsOf(await post(server.url('agent'), { threadId: 't', protocolVersion: '1.0' }))
    await judge(events)
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'boom' })
  })

  test('what a failed attempt had said is gone from the client when the run ends', async () => {
    const server = await serveScene(async ({ emit, say }) => {
      await emit({ type: 'llm_start', path: ['l'], payload: { model: 'm', params: {} } })
      await emit({ type: 'llm_token', path: ['l'], payload: { text: 'Wro', message_id: 'lost' } })
      const payload = { name: 'm', message: 'overloaded', stack: '', class: 'Error' }
      await emit({ type: 'error', path: ['l'], payload })
      await say(['l'], 'kept', ['Right'])
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't' })
    agent.messages = [{ id: 'u1', role: 'user', content: 'Hi' }]
    await agent.runAgent({})
    expect(agent.messages.map(({ id }) => id)).toEqual(['u1', 'kept'])
  })

  test('a token costs at most 120 bytes', async () => {
    const pieces = Array.from({ length: 2000 }, (_, index) => `tok${index % 10} `)
    // Each piece in a turn of its own, as from a model: joined pieces would flatter the figure.
    const server = await serveScene(async ({ emit, context }) => {
      const id = 'run-0192f0c1-2b7e-7cc3-98c4-dc0c0c07398f'
      await emit({ type: 'llm_start', path: ['l'], payload: { model: 'm', params: {} } })
      for (const [index, text] of pieces.entries()) {
        await emit({
          type: 'llm_token',
          path: ['l'],
          payload: index === 0 ? { text, message_id: id } : { text },
        })
        await new Promise((resolve) => setImmediate(resolve))
        if (context.signal.aborted) return
      }
    })
    const text = await (await post(server.url('agent'), { threadId: 't' })).text()
    const perEvent = text.length / parseSse(text).length
    console.info(
      `AG-UI: ${(text.length / pieces.length).toFixed(1)} bytes a token, ${perEvent.toFixed(1)} an event`,
    )
    expect(text.length / pieces.length).toBeLessThan(120)
    expect(perEvent).toBeLessThan(120)
  })
})
