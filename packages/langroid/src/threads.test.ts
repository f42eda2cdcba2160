import { memoryThreads } from '@clewline/agui'
import { verify } from '@clewline/core/check'
import type { Envelope } from '@clewline/core'
import { describe, expect, test } from 'vitest'
import { LangroidAgent } from './langroid-agent.ts'
import { ChatAgent } from './native/chat-agent.ts'
import type { LanguageModel } from './native/language-model.ts'
import { MockLM } from './native/mock-lm.ts'
import { Task } from './native/task.ts'
import { background, harness, outline } from './testing/run-source.ts'

describe('a task', () => {
  test('shows its sub-tasks as calls of their own', async () => {
    const helper = Task(ChatAgent({ name: 'helper', model: MockLM({ fallback: 'six' }) }), {
      singleRound: true,
    })
    const answers = ['2*3?', 'DONE six']
    const main = ChatAgent({ name: 'main', model: MockLM({ respond: () => answers.shift()! }) })
    const { say, source } = harness(LangroidAgent(Task(main, { subTasks: [helper] })))
    expect(await source.describe()).toEqual({
      name: 'main',
      subagents: ['helper'],
      interrupts: true,
      scripted: true,
    })
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
      'text six',
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
    expect(lines).toEqual(expect.arrayContaining(['text ref', 'text used']))
  })
})

describe('threads', () => {
  test('stay bounded, and a busy one refuses a second run', async () => {
    const source = LangroidAgent(ChatAgent({ name: 'chat', model: MockLM({ delay: 5 }) }), {
      threads: { max: 50 },
    })
    const threads = memoryThreads({ agents: { chat: source }, limits: { max: 50, idleMs: 60_000 } })
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

  test('run side by side: each is asked before the other is answered', async () => {
    let meet = (): void => undefined
    const both = new Promise<void>((resolve) => (meet = resolve))
    let asked = 0
    const model: LanguageModel = {
      name: 'meeting',
      async *stream() {
        asked += 1
        if (asked === 2) meet()
        await both
        yield { type: 'text', delta: 'here' }
        yield { type: 'end', finish_reason: 'stop', usage: {} }
      },
    }
    const { threads } = harness(LangroidAgent(ChatAgent({ name: 'chat', model })))
    const request = { kind: 'input' as const, input: { messages: [{ role: 'user', content: 'hi' }] } }
    const never = new AbortController().signal
    const run = async (thread_id: string): Promise<string> => {
      await threads.start({ thread_id, run_id: 'r', agent: 'chat', request, tools: [], configurable: {} })
      return (await threads.settled(thread_id, 'r', never)).status
    }
    expect(await Promise.all([run('a'), run('b')])).toEqual(['success', 'success'])
  })

  test('stop soon when a run is cancelled', async () => {
    const { threads } = harness(
      LangroidAgent(ChatAgent({ name: 'chat', model: MockLM({ fallback: 'x'.repeat(800), delay: 50 }) })),
    )
    const request = { kind: 'input' as const, input: { messages: [{ role: 'user', content: 'hi' }] } }
    const never = new AbortController().signal
    await threads.start({ thread_id: 't', run_id: 'r', agent: 'chat', request, tools: [], configurable: {} })
    for await (const entries of threads.read('t', { after: 0, follow: true, signal: never }))
      if (entries.some(({ envelope }) => envelope.type === 'llm_token')) break
    await threads.cancel('t', 'r')
    expect(await threads.settled('t', 'r', never)).toMatchObject({ status: 'cancelled' })
    const envelopes: Envelope[] = []
    for await (const entries of threads.read('t', { after: 0, follow: false, signal: never }))
      envelopes.push(...entries.map(({ envelope }) => envelope))
    expect(verify(envelopes)).toEqual([])
    expect(outline(envelopes).at(-1)).toBe('end chat cancelled')
  })
})
