import { HttpAgent } from '@ag-ui/client'
import type { BaseEvent } from '@ag-ui/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startExampleServer } from './example-server.ts'
import type { ExampleServer } from './example-server.ts'
import { features } from './features.ts'

let server: ExampleServer
beforeAll(async () => {
  server = await startExampleServer()
}, 60_000)
afterAll(() => server.close())

const asked: Readonly<Record<string, string>> = {
  agentic_chat: 'Hello',
  backend_tool_rendering: 'What is the weather in Paris?',
  shared_state: 'Make it a pasta recipe',
  agentic_generative_ui: 'Plan a trip to Mars',
  human_in_the_loop: 'Plan a trip to Mars',
}

describe('the example server', () => {
  test.each(features.flatMap(({ name }) => [`/${name}`, `/${name}/`]))('answers at %s', async (path) => {
    const agent = new HttpAgent({ url: server.url + path, threadId: path })
    const content = asked[path.replaceAll('/', '')]!
    agent.addMessage({ id: 'u', role: 'user', content })
    const events: BaseEvent[] = []
    await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) })
    expect(events.at(-1)?.type).toBe('RUN_FINISHED')
    expect(agent.messages.at(-1)?.content).toBeTruthy()
  })

  test('serves its page', async () => {
    const page = await (await fetch(server.url)).text()
    expect(page).toContain('<h1>Langroid over AG-UI</h1>')
    const script = /src="([^"]+\.js)"/.exec(page)?.[1]
    expect((await fetch(new URL(script!, server.url))).headers.get('content-type')).toContain('javascript')
  })

  test('tells the health of each feature', async () => {
    for (const { name } of features)
      expect(await (await fetch(`${server.url}/${name}/health`)).json()).toMatchObject({
        status: 'ok',
        agent: { name },
      })
  })
})
