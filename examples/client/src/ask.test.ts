import { readFileSync } from 'node:fs'
import { ClewlineError } from '@clewline/client'
import { scriptedModel } from '@clewline/langgraph/testing'
import { createClewline, serve } from '@clewline/server'
import { interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { afterAll, expect, test } from 'vitest'
import { ask } from './ask.ts'

const model = scriptedModel(() => ({ text: ['Yes,', ' by far.'] }))
const graph = (isAsking: boolean) =>
  new StateGraph(MessagesAnnotation)
    .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('ask', () => {
      if (isAsking) interrupt('Sure?')
      return {}
    })
    .addEdge(START, 'answer')
    .addEdge('answer', 'ask')
    .compile()

const clewline = await createClewline({
  agents: { sure: graph(false), unsure: graph(true) },
  store: ':memory:',
  studio: false,
})
const server = await serve(clewline, { port: 0 })
afterAll(() => server.close())

async function answer(agent: string): Promise<string> {
  let text = ''
  for await (const piece of ask(server.url, agent, 'Is tea older than coffee?')) text += piece
  return text
}

test.each(['sure', 'unsure'])('the answer of an agent that is %s comes as it is said', async (agent) => {
  expect(await answer(agent)).toBe('Yes, by far.')
})

test('an agent that is not there is refused with the names of those that are', async () => {
  await expect(answer('nobody')).rejects.toBeInstanceOf(ClewlineError)
  await expect(answer('nobody')).rejects.toMatchObject({ hint: expect.stringContaining('unsure') })
})

test("the client's README shows this program", () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  expect(read('../../../packages/client/README.md')).toContain(read('./ask.ts'))
})
