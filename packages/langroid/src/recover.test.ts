import { verify } from '@clewline/core/check'
import type { Envelope } from '@clewline/core'
import { driveRun, type RunOutcome, type RunRequest } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { HistoryStore, ThreadRecord } from './history-store.ts'
import { LangroidAgent } from './langroid-agent.ts'
import { ChatAgent } from './native/chat-agent.ts'
import type { ModelRequest } from './native/language-model.ts'
import { MockLM, type MockResponse } from './native/mock-lm.ts'
import { ToolMessage } from './native/tool-message.ts'

const Look = ToolMessage({
  request: 'look',
  purpose: 'To look.',
  fields: z.object({}),
  handle: () => 'found',
})
const never = new AbortController().signal

/** What outlives a process: the records and the log. */
function world() {
  const records = new Map<string, ThreadRecord>()
  const log: Envelope[] = []
  const history: HistoryStore = {
    load: async (thread) => records.get(thread),
    save: async (thread, record) => {
      records.set(thread, structuredClone(record))
      return `checkpoint-${log.length}`
    },
  }
  /** Each process has an agent and a ledger of its own. One that has died says nothing more. */
  async function run(
    request: RunRequest,
    respond: (text: string, request: ModelRequest) => MockResponse | Promise<MockResponse>,
    died: AbortSignal = never,
  ): Promise<RunOutcome> {
    const agent = LangroidAgent(ChatAgent({ name: 'chat', model: MockLM({ respond }), tools: [Look] }), {
      history,
    })
    return await driveRun(agent, request, {
      thread_id: 't',
      run_id: 'run',
      trace_id: 'trace',
      history: log,
      write: (envelopes) => void (died.aborted || log.push(...envelopes)),
    })
  }
  return { run, log, records }
}

const input: RunRequest = { kind: 'input', input: { messages: [{ id: 'u', role: 'user', content: 'go' }] } }

describe('a run whose process died', () => {
  test.each([
    ['while the model was asked first', 1],
    ['while the model was asked again', 2],
  ])('%s goes on from there, with the same calls', async (_name, fatal) => {
    const { run, log } = world()
    const died = new AbortController()
    let asked = 0
    const dying = new Promise<void>((resolve) => {
      void run(
        input,
        async () => {
          if (++asked < fatal) return { toolCalls: [{ name: 'look', args: {}, id: 'c1' }] }
          while (log.filter((envelope) => envelope.type === 'llm_start').length < fatal)
            await new Promise((resolve) => setImmediate(resolve))
          died.abort()
          resolve()
          return await new Promise<MockResponse>(() => {})
        },
        died.signal,
      )
    })
    await dying
    const outcome = await run({ kind: 'recover' }, (text) =>
      text === 'go' ? { toolCalls: [{ name: 'look', args: {}, id: 'c1' }] } : `it is ${text}`,
    )
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(log)).toEqual([])
    const starts = log.flatMap((e) => (e.type === 'llm_start' ? [e.payload.attempt ?? 1] : []))
    expect(starts).toEqual(fatal === 1 ? [1, 2, 1] : [1, 1, 2])
    expect(log.filter((e) => e.type === 'tool_start' && e.payload.tool_name === 'look')).toHaveLength(1)
    expect(log.filter((e) => e.type === 'llm_end').at(-1)).toMatchObject({
      payload: { message: { text: 'it is found' } },
    })
  })

  test('after its last word only ends', async () => {
    const { run, log, records } = world()
    await run(input, () => 'done')
    const ended = log.pop()
    expect(ended).toMatchObject({ type: 'tool_end' })
    expect(await run({ kind: 'recover' }, () => 'never asked')).toEqual({ status: 'success' })
    expect(verify(log)).toEqual([])
    expect(records.get('t')?.shown.map((message) => message.text)).toEqual(['go', 'done'])
  })

  test('is never resumed by an answer: nothing waits', async () => {
    const { run, log } = world()
    const outcome = await run({ kind: 'resume', answers: [{ value: 'yes' }] }, () => 'x')
    expect(outcome).toMatchObject({ status: 'error', error: { name: 'LANGROID_ERROR' } })
    expect(verify(log)).toEqual([])
  })
})
