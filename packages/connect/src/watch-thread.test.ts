import { EventType, type Event } from '@ag-ui/core'
import { Client } from '@langchain/langgraph-sdk'
import { concat, of, throwError } from 'rxjs'
import { expect, test } from 'vitest'
import { watchThread, type WatchableAgent } from './watch-thread.ts'

const threadId = '00000000-0000-4000-8000-000000000000'
const started: Event = { type: EventType.RUN_STARTED, threadId, runId: 'r' }
const finished: Event = { type: EventType.RUN_FINISHED, threadId, runId: 'r' }

/** A server with one state and no run. */
const client = new Client({
  apiUrl: 'http://test',
  callerOptions: {
    fetch: (url: string | URL) =>
      Promise.resolve(
        Response.json(
          url.toString().includes('/runs') ? [] : { checkpoint: { checkpoint_id: 'c' }, values: {} },
        ),
      ),
  },
})

test('connects again when a connection to a run is lost, after what it had brought', async () => {
  let connections = 0
  const agent: WatchableAgent = {
    client,
    connect: () =>
      connections++ === 0
        ? concat(
            of(started),
            throwError(() => new TypeError('terminated')),
          )
        : of(started, finished),
  }
  const stop = new AbortController()
  const seen: EventType[] = []
  const options = { threadId, signal: stop.signal, fastestMs: 1, slowestMs: 5, threadStream: false }
  for await (const { type } of watchThread(agent, options)) {
    seen.push(type)
    if (type === EventType.RUN_FINISHED) stop.abort()
  }
  expect(seen).toEqual([EventType.RUN_STARTED, EventType.RUN_STARTED, EventType.RUN_FINISHED])
  expect(connections).toBe(2)
})
