import { verify } from '@clewline/core/check'
import { isRecord, type Envelope } from '@clewline/core'
import { driveRun, type RunOutcome, type RunRequest } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { HistoryStore, ThreadRecord } from './history-store.ts'
import { LangroidAgent } from './langroid-agent.ts'
import { ChatAgent } from './native/chat-agent.ts'
import type { ModelRequest } from './native/language-model.ts'
import { MockLM, type MockResponse } from './native/mock-lm.ts'
import { orchestration } from './native/orchestration.ts'
import { Task } from './native/task.ts'
import { ToolMessage } from './native/tool-message.ts'

const input = (content: string): RunRequest => ({
  kind: 'input',
  input: { messages: [{ id: `u-${content}`, role: 'user', content }] },
})
const call = (id: string, name: string, args: Record<string, string>): MockResponse => ({
  toolCalls: [{ id, name, args }],
  usage: { input_tokens: 10, output_tokens: 1 },
})

/** Answers by what the conversation is, not by a count: a model has no memory of who asked before. */
const MODELS: Record<string, (said: number, last: string) => MockResponse> = {
  Main: (said, last) =>
    [
      call('m1', 'send_tool', { to: 'Researcher', content: 'find it' }),
      call('m2', 'send_tool', { to: 'Writer', content: `write ${last}` }),
      call('m3', 'done_tool', { content: `final: ${last}` }),
    ][said] ?? 'too much',
  Researcher: (said, last) =>
    [call('r1', 'look', { where: 'shelf' }), call('r2', 'done_tool', { content: `found ${last}` })][said] ??
    'x?',
  Writer: (said, last) => (said === 0 ? 'a draft' : `DONE text of ${last}`),
}

/** What outlives a process: the records and the log. */
function world(options: { readonly isAsking?: boolean } = {}) {
  const records = new Map<string, ThreadRecord>()
  const log: Envelope[] = []
  const looked: string[] = []
  const history: HistoryStore = {
    load: async (thread) => records.get(thread),
    save: async (thread, record) => {
      records.set(thread, z.custom<ThreadRecord>().parse(JSON.parse(JSON.stringify(record))))
      return `checkpoint-${log.length}`
    },
  }
  const Look = ToolMessage({
    request: 'look',
    purpose: 'To look.',
    fields: z.object({ where: z.string() }),
    handle: ({ where }) => {
      looked.push(where)
      return 'a clew'
    },
  })

  /** A process of its own; `onAsked` may never resolve: then it dies there. */
  function source(onAsked: (agent: string, request: ModelRequest) => Promise<void>): LangroidAgent {
    const agentOf = (name: string, tools: readonly ToolMessage[]): ChatAgent =>
      ChatAgent({
        name,
        tools,
        model: MockLM({
          respond: async (text, request) => {
            await onAsked(name, request)
            const said = request.messages.filter((message) => message.role === 'assistant').length
            return MODELS[name]!(said, text)
          },
        }),
      })
    const { DoneTool, SendTool } = orchestration
    const researcher = Task(agentOf('Researcher', [Look, DoneTool]))
    const writer = Task(agentOf('Writer', []), {
      interactive: options.isAsking ?? false,
      ...(!options.isAsking && { userResponse: () => 'go on', interactive: true }),
    })
    const main = agentOf('Main', [SendTool, DoneTool])
    return LangroidAgent(Task(main, { subTasks: [researcher, writer] }), { history })
  }

  async function run(
    request: RunRequest,
    onAsked: (agent: string, request: ModelRequest) => Promise<void> = async () => {},
    signals: { readonly died?: AbortSignal; readonly drain?: AbortSignal; readonly trace?: string } = {},
  ): Promise<RunOutcome> {
    const { died, drain, trace = 'trace' } = signals
    return await driveRun(source(onAsked), request, {
      thread_id: 't',
      run_id: 'run',
      trace_id: trace,
      history: log,
      ...(drain !== undefined && { drain }),
      write: (envelopes) => void (died?.aborted === true || log.push(...envelopes)),
    })
  }
  return { run, log, records, looked, source, history }
}

/** Calls that an earlier process left open end with the run, without a word. */
const lastText = (log: readonly Envelope[]): string | undefined =>
  log.flatMap((e) => (e.type === 'llm_end' ? [e.payload.message.text] : [])).findLast((text) => text !== '')
const usageOf = (log: readonly Envelope[]): unknown => {
  const end = log.findLast((e) => e.type === 'tool_end' && e.parent_id === null)
  return end?.type === 'tool_end' && isRecord(end.payload.result) ? end.payload.result['usage'] : undefined
}

/** Runs until the model is asked for the `fatal`th time, and dies there. */
async function die(at: ReturnType<typeof world>, fatal: number): Promise<void> {
  const died = new AbortController()
  let asked = 0
  await new Promise<void>((resolve) => {
    void at.run(
      input('go'),
      async () => {
        if (++asked < fatal) return
        while (at.log.filter((e) => e.type === 'llm_start').length < fatal)
          await new Promise((next) => setImmediate(next))
        died.abort()
        resolve()
        await new Promise(() => {})
      },
      { died: died.signal },
    )
  })
}

const RESULT = 'final: text of go on'
const TURNS = 7

describe('a task with two sub-tasks whose process died', () => {
  test('is known undisturbed', async () => {
    const at = world()
    const asked: string[] = []
    expect(await at.run(input('go'), async (agent) => void asked.push(agent))).toEqual({ status: 'success' })
    expect(asked).toEqual(['Main', 'Researcher', 'Researcher', 'Main', 'Writer', 'Writer', 'Main'])
    expect(lastText(at.log)).toBe(RESULT)
  })

  test.each(Array.from({ length: TURNS }, (_, i) => i + 1))(
    'at its model call %i goes on there, and ends as if nothing had happened',
    async (fatal) => {
      const calm = world()
      await calm.run(input('go'))
      const at = world()
      await die(at, fatal)
      const asked: string[] = []
      const outcome = await at.run({ kind: 'recover' }, async (agent) => void asked.push(agent))
      expect(outcome).toEqual({ status: 'success' })
      expect(verify(at.log)).toEqual([])
      expect(lastText(at.log)).toBe(RESULT)
      expect(asked).toHaveLength(TURNS - fatal + 1)
      expect(at.looked).toEqual(['shelf'])
      expect(at.records.get('t')).toEqual(calm.records.get('t'))
      expect(usageOf(at.log)).toEqual(usageOf(calm.log))
      const attempts = at.log.flatMap((e) => (e.type === 'tool_start' ? [e.payload.attempt ?? 1] : []))
      expect(new Set(attempts)).toEqual(new Set([1]))
    },
  )

  test('twice, goes on all the same', async () => {
    const at = world()
    await die(at, 3)
    const died = new AbortController()
    let asked = 0
    await new Promise<void>((resolve) => {
      void at.run(
        { kind: 'recover' },
        async () => {
          if (++asked < 3) return
          died.abort()
          resolve()
          await new Promise(() => {})
        },
        { died: died.signal },
      )
    })
    expect(await at.run({ kind: 'recover' })).toEqual({ status: 'success' })
    expect(verify(at.log)).toEqual([])
    expect(lastText(at.log)).toBe(RESULT)
    expect(at.looked).toEqual(['shelf'])
  })

  test('or was drained between two model calls goes on in another', async () => {
    const at = world()
    const drain = new AbortController()
    let asked = 0
    const outcome = await at.run(
      input('go'),
      async () => {
        if (++asked === 4) drain.abort()
      },
      { drain: drain.signal },
    )
    expect(outcome).toEqual({ status: 'drained' })
    expect(await at.run({ kind: 'recover' })).toEqual({ status: 'success' })
    expect(verify(at.log)).toEqual([])
    expect(lastText(at.log)).toBe(RESULT)
  })
})

test('a task that was changed in between starts again from its input, and says so', async () => {
  const at = world()
  await die(at, 5)
  const records = at.records.get('t')
  const journal = records?.progress?.replay?.journal ?? []
  expect(journal.length).toBeGreaterThan(3)
  // As if the deploy had renamed the researcher.
  const renamed = JSON.stringify(records).replaceAll('model of Researcher', 'model of Seeker')
  at.records.set('t', z.custom<ThreadRecord>().parse(JSON.parse(renamed)))
  const asked: string[] = []
  expect(await at.run({ kind: 'recover' }, async (agent) => void asked.push(agent))).toEqual({
    status: 'success',
  })
  expect(asked).toHaveLength(TURNS)
  expect(verify(at.log)).toEqual([])
  expect(lastText(at.log)).toBe(RESULT)
  expect(at.log.flatMap((e) => (e.type === 'warning' ? [e.payload.code] : []))).toEqual(['restarted'])
  const calm = world()
  await calm.run(input('go'))
  const contents = (record: ThreadRecord | undefined) => record?.messages.map((message) => message.content)
  expect(contents(at.records.get('t'))).toEqual(contents(calm.records.get('t')))
})

describe('a sub-task that asks its user', () => {
  test('stops the run in an interrupt, and the answer reaches it in another process', async () => {
    const at = world({ isAsking: true })
    const outcome = await at.run(input('go'))
    expect(outcome).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: { agent: 'Writer', text: 'a draft' } }],
    })
    expect(verify(at.log, { live: true })).toEqual([])
    const state = await at.source(async () => {}).state!({ thread_id: 't', checkpointer: undefined })
    expect(state.interrupts).toEqual(outcome.status === 'interrupted' ? outcome.interrupts : [])
    const asked: string[] = []
    const answer: RunRequest = { kind: 'resume', answers: [{ value: 'shorter' }] }
    const after = await at.run(answer, async (agent, { messages }) => {
      asked.push(`${agent}: ${messages.at(-1)?.content}`)
    })
    expect(after).toEqual({ status: 'success' })
    expect(asked).toEqual(['Writer: shorter', 'Main: text of shorter'])
    expect(verify(at.log)).toEqual([])
    expect(lastText(at.log)).toBe('final: text of shorter')
  })

  test('is answered by the next message of a client that only chats', async () => {
    const at = world({ isAsking: true })
    await at.run(input('go'))
    expect(await at.run(input('longer'), async () => {}, { trace: 'next' })).toEqual({ status: 'success' })
    expect(lastText(at.log)).toBe('final: text of longer')
    expect(at.records.get('t')?.shown.map((message) => message.text)).toContain('longer')
  })

  test('does not take the answer to another question', async () => {
    const at = world({ isAsking: true })
    await at.run(input('go'))
    const stale: RunRequest = { kind: 'resume', answers: [{ question_id: 'other', value: 'x' }] }
    expect(await at.run(stale)).toMatchObject({ status: 'error' })
  })
})

test('sub-agents remember, each its own, in another process', async () => {
  const records = new Map<string, ThreadRecord>()
  const history: HistoryStore = {
    load: async (thread) => records.get(thread),
    save: async (thread, record) => void records.set(thread, record),
  }
  const counting = (name: string): ChatAgent =>
    ChatAgent({ name, model: MockLM({ respond: (_text, { messages }) => `${name} ${messages.length - 1}` }) })
  async function say(content: string): Promise<readonly string[]> {
    const said: string[] = []
    const helper = Task(counting('Helper'), { singleRound: true })
    const task = Task(counting('Main'), { subTasks: [helper], doneSequences: ['L, U'] })
    await driveRun(LangroidAgent(task, { history }), input(content), {
      thread_id: 't',
      run_id: content,
      trace_id: content,
      write: (envelopes) =>
        envelopes.forEach((e) => void (e.type === 'llm_end' && said.push(e.payload.message.text))),
    })
    return said
  }
  expect(await say('one')).toEqual(['Main 1', 'Helper 1', 'Helper 1'])
  // Main also remembers what the task said in its name.
  expect(await say('two')).toEqual(['Main 4', 'Helper 3', 'Helper 3'])
})
