import { LLMock } from '@copilotkit/aimock'
import { Client } from '@langchain/langgraph-sdk'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A LangGraph API server that runs, and a client of it. */
export interface LangGraphServer {
  readonly url: string
  /** Does not retry, so that what fails fails at once. */
  readonly client: Client
  readonly llm: LLMock
  close(): Promise<void>
}

/** A real LangGraph API server in a process of its own, with aimock as its model. */
export async function langGraphServer(tokensPerSecond = 100): Promise<LangGraphServer> {
  const llm = new LLMock({ port: 0 })
  const slow = { chunkSize: 4, streamingProfile: { ttft: 20, tps: tokensPerSecond, jitter: 0 } }
  const words = (name: string): string =>
    Array.from({ length: 30 }, (_, index) => `${name}${index}`).join(' ')
  llm.on({ userMessage: 'hello', endpoint: 'chat' }, { content: words('word') }, slow)
  for (const name of ['left', 'right', 'deep', 'worker'])
    llm.on({ userMessage: `say ${name}`, endpoint: 'chat' }, { content: words(name) }, slow)
  llm.on(
    { userMessage: 'look up', hasToolResult: false, endpoint: 'chat' },
    {
      content: 'Let me look that up.',
      toolCalls: [{ id: 'call_1', name: 'search', arguments: JSON.stringify({ q: 'the quick brown fox' }) }],
    },
    slow,
  )
  llm.on(
    { userMessage: 'look up', hasToolResult: true, endpoint: 'chat' },
    { content: words('answer') },
    slow,
  )
  llm.on(
    { userMessage: 'compare', hasToolResult: false, endpoint: 'chat' },
    {
      content: 'Both at once.',
      toolCalls: [
        {
          id: 'call_search',
          name: 'search',
          arguments: JSON.stringify({ q: 'a fox and its quick brown fur' }),
        },
        { id: 'call_weigh', name: 'weigh', arguments: JSON.stringify({ what: 'a dog that is too lazy' }) },
      ],
    },
    slow,
  )
  llm.on(
    { userMessage: 'compare', hasToolResult: true, endpoint: 'chat' },
    { content: words('verdict') },
    slow,
  )
  await llm.start()

  const child = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], {
    env: { ...process.env, LLM_URL: llm.url, LANGSMITH_TRACING: 'false', LOG_LEVEL: 'error' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const host = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (data) => {
      output += String(data)
      const address = /listening (\S+)/.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    })
    child.once('exit', () => reject(new Error(`The LangGraph server did not start: ${output}`)))
  })
  const url = `http://${host}`
  return {
    url,
    client: new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } }),
    llm,
    async close() {
      child.stdin.end()
      await ended
      await llm.stop()
    },
  }
}
