import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import { ConnectableLangGraphAgent, watchThread } from '@clewline/connect'
import { langGraphServer } from '@clewline/connect/testing'
import { expect, test } from 'vitest'
import { scheduleRuns } from './schedule-runs.ts'

test('whoever has the thread open sees every tick, token by token', { timeout: 60_000 }, async () => {
  const server = await langGraphServer()
  const { thread_id: threadId } = await server.client.threads.create()
  const stop = new AbortController()
  const events: Event[] = []
  const agent = new ConnectableLangGraphAgent({
    deploymentUrl: server.url,
    client: server.client,
    graphId: 'chat',
  })
  const watching = (async () => {
    const options = { threadId, signal: stop.signal, fastestMs: 50, slowestMs: 100 }
    for await (const event of watchThread(agent, options)) events.push(event)
  })()
  const input = (): Record<string, unknown> => ({ messages: [{ role: 'user', content: 'hello' }] })
  const failures: unknown[] = []
  const onError = (error: unknown): void => void failures.push(error)
  const cron = scheduleRuns({
    onError,
    client: server.client,
    schedule: '* * * * * *',
    threadId,
    assistantId: 'chat',
    input,
  })
  const streamed = (): number =>
    new Set(events.flatMap((event) => (event.type === EventType.TEXT_MESSAGE_START ? [event.messageId] : [])))
      .size
  await expect.poll(streamed, { timeout: 30_000 }).toBeGreaterThanOrEqual(2)
  cron.stop()
  stop.abort()
  await watching
  await server.close()
  expect(failures).toEqual([])
})
