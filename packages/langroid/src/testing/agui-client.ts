import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { HttpAgent, verifyEvents, type BaseEvent, type Message, type Tool } from '@ag-ui/client'
import { HttpAgent as HttpAgentV0 } from '@ag-ui/client-v0'
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { from, lastValueFrom, toArray } from 'rxjs'

export interface Listening {
  readonly url: string
  close(): Promise<void>
}

/** A real server on a free port. */
export async function listen(app: Hono): Promise<Listening> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export type Client = 'client 1.0.0' | 'client 0.0.59'

/** A published AG-UI client and what it received. It checks every event by itself, and we check them again. */
export function connect(client: Client, url: string, thread: string) {
  const initial = { url, threadId: thread }
  const agent = client === 'client 1.0.0' ? new HttpAgent(initial) : new HttpAgentV0(initial)

  async function run(
    messages: readonly Message[],
    tools: Tool[],
  ): Promise<{ events: BaseEvent[]; error: string | null }> {
    const events: BaseEvent[] = []
    let error: string | null = null
    for (const message of messages) agent.addMessage(structuredClone(message) as never)
    try {
      await agent.runAgent({ tools }, {
        onEvent: ({ event }: { event: BaseEvent }) => void events.push(structuredClone(event)),
        onRunErrorEvent: ({ event }: { event: { message: string } }) => void (error = event.message),
      } as never)
    } catch (thrown) {
      error ??= thrown instanceof Error ? thrown.message : String(thrown)
    }
    await lastValueFrom(from(events).pipe(verifyEvents(false), toArray()))
    return { events, error }
  }
  return { agent, run }
}

/** Types in order, the pieces of one message counted once. */
export function outline(events: readonly BaseEvent[]): string[] {
  return events
    .map((event): string => event.type)
    .filter((type, i, all) => !(type === all[i - 1] && PIECES.has(type)))
}
const PIECES = new Set(['TEXT_MESSAGE_CONTENT', 'TOOL_CALL_ARGS', 'REASONING_MESSAGE_CONTENT'])
