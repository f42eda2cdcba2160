import type { Event, RunAgentInput } from '@ag-ui/core'
import { expect, test } from 'vitest'
import { ConnectableLangGraphAgent, watchThread } from './index.ts'

const agent = new ConnectableLangGraphAgent({ deploymentUrl: 'http://127.0.0.1:9', graphId: 'chat' })
const blank = { runId: 'r', messages: [], tools: [], context: [] }

test.each([
  ['no thread id', { ...blank, threadId: '' }, 'missing_thread_id'],
  ['what is no UUID', { ...blank, threadId: 'my-thread' }, 'invalid_thread_id'],
  ['a number', { ...blank, threadId: 7 }, 'invalid_thread_id'],
  ['a run config without one', { ...blank, threadId: '', config: { configurable: {} } }, 'missing_thread_id'],
  ['no input', null, 'missing_thread_id'],
  ['a word', 'thread', 'missing_thread_id'],
])('connect() with %s is a RUN_ERROR that says what to do', async (_name, input, code) => {
  const events: Event[] = []
  await new Promise<void>((resolve, reject) => {
    agent
      .connect(input as RunAgentInput)
      .subscribe({ next: (event) => events.push(event), error: reject, complete: resolve })
  })
  expect(events).toEqual([{ type: 'RUN_ERROR', code, message: expect.stringMatching(/\. .+\.$/) }])
})

test('watchThread() refuses what is no thread id instead of waiting for it', async () => {
  const watching = watchThread(agent, { threadId: 'my-thread', signal: AbortSignal.timeout(10_000) })
  await expect(watching.next()).rejects.toMatchObject({ code: 'invalid_thread_id' })
})
