import { HumanMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createDeepAgent } from './create-deep-agent.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const BROKEN = '{"file_path": "a.md", content: nope}'

it.each(['invoke', 'stream'] as const)(
  'a call whose arguments do not parse is answered, and the model tries again (%s)',
  async (way) => {
    const server = await serve(({ turn }) => {
      if (turn === 0)
        return [
          { name: 'write_file', args: {}, raw: BROKEN },
          { name: 'ls', args: {} },
        ]
      if (turn === 1) return [{ name: 'write_file', args: { file_path: 'a.md', content: 'x' } }]
      return 'done'
    })
    const agent = createDeepAgent({
      instructions: 'x',
      model: server.openai(),
      checkpointer: new MemorySaver(),
    })
    const input = { messages: [new HumanMessage('go')] }
    const config = { configurable: { thread_id: 'thread' } }
    if (way === 'invoke') await agent.invoke(input, config)
    else for await (const _ of await agent.stream(input, { ...config, streamMode: 'messages' })) continue
    const state = await agent.getState(config)
    const { messages, files } = z
      .object({ messages: z.array(z.custom<BaseMessage>()), files: z.record(z.string(), z.string()) })
      .parse(state.values)
    expect(files).toEqual({ 'a.md': 'x' })
    expect(messages.at(-1)?.text).toBe('done')
    const answers = messages.filter((message) => ToolMessage.isInstance(message))
    const refusal = answers.find(({ name, status }) => name === 'write_file' && status === 'error')
    expect(refusal?.text).toMatch(
      /^write_file was not run: its arguments are not valid JSON \(.+\)\. You sent/,
    )
    expect(refusal?.text).toContain(JSON.stringify(BROKEN))
    expect(answers.find(({ name }) => name === 'ls')).toMatchObject({ status: 'success' })
  },
)
