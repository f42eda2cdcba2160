import { LLMock, type ChatCompletionRequest } from '@copilotkit/aimock'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { Command, MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLibraryAgent, type LibraryAgent } from './create-library-agent.ts'

const call = (id: string, name: string, args: object) => ({ id, name, arguments: JSON.stringify(args) })
const TURNS = [
  {
    toolCalls: [
      call('1', 'search_books', { query: 'melville' }),
      call('2', 'search_books', { query: 'austen' }),
    ],
  },
  { toolCalls: [call('3', 'borrow_book', { id: 'moby-dick' }), call('4', 'borrow_book', { id: 'emma' })] },
  { toolCalls: [call('5', 'write_file', { file_path: 'loans.md', content: '- Moby-Dick\n' })] },
  { content: 'Moby-Dick is yours, Emma is on loan.' },
]

const server = new LLMock({ port: 0 })
let library: LibraryAgent

beforeAll(async () => {
  server.on({ predicate: () => true }, ({ messages }: ChatCompletionRequest) => {
    const turn = messages.filter((message) => message.role === 'assistant').length
    return TURNS[turn] ?? { content: 'done' }
  })
  await server.start()
  const model = new ChatOpenAI({
    model: 'test',
    apiKey: 'test',
    configuration: { baseURL: `${server.url}/v1` },
  })
  library = await createLibraryAgent({ model, checkpointer: new MemorySaver() })
})

afterAll(async () => {
  await library.close()
  await server.stop()
})

it('uses the tools of a real MCP server, asks before it borrows, and survives what the server refuses', async () => {
  const config = { configurable: { thread_id: 'thread' } }
  await library.graph.invoke({ messages: [new HumanMessage('I want Moby-Dick and Emma')] }, config)
  const paused = await library.graph.getState(config)
  expect(paused.tasks.flatMap((task) => task.interrupts)).toMatchObject([
    { value: { actionRequests: [{ name: 'borrow_book' }, { name: 'borrow_book' }] } },
  ])

  const decisions = [{ type: 'approve' }, { type: 'approve' }]
  const state = await library.graph.invoke(new Command({ resume: { decisions } }), config)
  const answers = state.messages.filter((message) => ToolMessage.isInstance(message))
  expect(answers.map(({ text, status }) => [status ?? 'success', text])).toEqual([
    ['success', 'moby-dick: Moby-Dick by Herman Melville'],
    ['success', 'emma: Emma by Jane Austen (on loan)'],
    ['success', 'Moby-Dick is yours for four weeks.'],
    ['error', expect.stringContaining('Emma is on loan.')],
    ['success', 'Created file loans.md.'],
  ])
  expect(state.files).toEqual({ 'loans.md': '- Moby-Dick\n' })
})
