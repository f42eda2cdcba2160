import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '@langchain/langgraph-api/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession, Deadline, definePrompt, LangGraphAdapter, section } from '../index.ts'
import { remoteGraph } from './remote-graph.ts'

const prompt = definePrompt({
  ns: 't',
  key: 'remote',
  sections: [section({ key: 's', title: 'S', template: 'Go.' })],
}).bind()

describe('a graph on a LangGraph server', () => {
  let server: Awaited<ReturnType<typeof startServer>>
  beforeAll(async () => {
    const agent = fileURLToPath(new URL('../testing/remote-agent.mjs', import.meta.url))
    // It keeps its state in files below the directory it runs in.
    const cwd = await mkdtemp(join(tmpdir(), 'clewline-remote-'))
    server = await startServer({
      port: 0,
      nWorkers: 2,
      host: '127.0.0.1',
      cwd,
      graphs: { agent: `${agent}:graph` },
    })
  })
  afterAll(() => server.cleanup())
  const adapter = async () =>
    new LangGraphAdapter({ graph: await remoteGraph({ url: `http://${server.host}`, graphId: 'agent' }) })

  test('evaluates a prompt, and its tokens are counted', async () => {
    const response = await (await adapter()).evaluate(prompt, { session: createSession(), input: 'Hi.' })
    expect(response).toMatchObject({
      text: 'system: ## 1. S (s)\n\nGo. | human: Hi.',
      usage: { totalTokens: 42 },
    })
  })

  test('its tokens pass a budget', async () => {
    const poor = (await adapter()).evaluate(prompt, {
      session: createSession(),
      budget: { maxTotalTokens: 41 },
    })
    await expect(poor).rejects.toMatchObject({ name: 'BudgetExceededError' })
  })

  test('is left at the deadline', async () => {
    const remote = await adapter()
    using deadline = Deadline.after(300)
    await expect(
      remote.evaluate(prompt, { session: createSession(), input: 'slowly', deadline }),
    ).rejects.toMatchObject({
      name: 'DeadlineExceededError',
    })
  })
})
