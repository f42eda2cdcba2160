import type { Event, Message } from '@ag-ui/core'
import { expect } from 'vitest'
import { wire } from '@clewline/agui/testing'
import { ConnectableLangGraphAgent, runThroughApi } from '../index.ts'
import { langGraphMessages } from '../langgraph-messages.ts'
import type { LangGraphServer } from './langgraph-server.ts'

/** What a client was sent, and what it has in the end. */
export interface Seen {
  readonly events: Event[]
  readonly messages: Message[]
  readonly agent: ConnectableLangGraphAgent
}

/** What the connect suites do on a server. */
export interface ConnectBench {
  agentOf(graphId: string, threadId: string): ConnectableLangGraphAgent
  newThread(): Promise<string>
  start(
    graph: string,
    threadId: string,
    text?: string,
    afterSeconds?: number,
  ): ReturnType<typeof runThroughApi>
  /** Connects a client of 1.0.0 and keeps what it was sent. The run may have begun before. */
  connected(graph: string, threadId: string): Promise<Seen>
  /** The messages that the server keeps. */
  thread(threadId: string): Promise<Message[]>
  isRunning(threadId: string): Promise<void>
}

export const say = (content: string): Record<string, unknown> => ({
  messages: [{ id: `u-${content}`, role: 'user', content }],
})

export const types = (events: readonly Event[]): string[] => events.map((event) => event.type)

export function connectBench({ url, client }: LangGraphServer): ConnectBench {
  const agentOf = (graphId: string, threadId: string): ConnectableLangGraphAgent =>
    new ConnectableLangGraphAgent({ deploymentUrl: url, client, graphId, threadId })
  return {
    agentOf,
    async newThread() {
      const { thread_id } = await client.threads.create()
      return thread_id
    },
    start: (graph, threadId, text = 'hello', afterSeconds) =>
      runThroughApi(client, {
        threadId,
        assistantId: graph,
        input: say(text),
        ...(afterSeconds !== undefined && { afterSeconds }),
      }),
    async connected(graph, threadId) {
      const agent = agentOf(graph, threadId)
      const events: Event[] = []
      await agent.connectAgent({}, { onEvent: ({ event }) => void events.push(wire(event)) })
      return { events, messages: agent.messages, agent }
    },
    thread: async (threadId) => langGraphMessages((await client.threads.getState(threadId)).values),
    async isRunning(threadId) {
      await expect
        .poll(async () => (await client.runs.list(threadId, { status: 'running' })).length, {
          timeout: 10_000,
          interval: 20,
        })
        .toBe(1)
    },
  }
}
