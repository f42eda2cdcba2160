import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { scriptedModel } from '@clewline/langgraph/testing'
import { aguiPort, createClewline } from '@clewline/server'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { clewlineRuntime } from './clewline-runtime.ts'

process.env['COPILOTKIT_TELEMETRY_DISABLED'] = 'true'

const model = scriptedModel(() => ({ text: 'Hello from the log.' }))
const hello = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge('__start__', 'answer')
  .compile({ name: 'hello' })

async function events(
  handle: (request: Request) => Promise<Response>,
  path: string,
  content?: string,
): Promise<string> {
  const messages = content === undefined ? [] : [{ id: 'u1', role: 'user', content }]
  const body = {
    threadId: 'mine',
    runId: crypto.randomUUID(),
    state: {},
    messages,
    tools: [],
    context: [],
    forwardedProps: {},
  }
  const response = await handle(
    new Request(`http://localhost/api/copilotkit/agent/hello/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  return response.text()
}

test('a conversation is still there after the process that held it has gone', async () => {
  const store = await mkdtemp(join(tmpdir(), 'clewline-copilotkit-'))
  onTestFinished(() => rm(store, { recursive: true, force: true }))
  const first = await createClewline({ agents: { hello }, store })
  const ran = await events(clewlineRuntime(aguiPort(first, { owner: undefined }), ['hello']), 'run', 'Hi')
  expect(ran).toContain('RUN_FINISHED')
  await first.close()

  const second = await createClewline({ agents: { hello }, store })
  const shown = await events(clewlineRuntime(aguiPort(second, { owner: undefined }), ['hello']), 'connect')
  expect(shown).toMatch(/MESSAGES_SNAPSHOT.*"Hi".*"Hello from the log\."/)
  expect(shown).toContain('RUN_FINISHED')
  await second.close()
})
