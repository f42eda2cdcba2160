import { MemorySaver } from '@langchain/langgraph'
import { afterEach, describe, expect, it } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import { startModelServer, type Script } from './testing/model-server.ts'

const open: { stop(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.stop()))
})

async function serve(script: Script) {
  const server = await startModelServer(script)
  open.push(server)
  return server
}

describe('createDeepAgent', () => {
  it('keeps both of two edits of one file in one turn', async () => {
    const server = await serve(({ turn }) =>
      turn === 0
        ? [
            { name: 'edit_file', args: { file_path: 'a.md', old_string: 'one', new_string: 'ONE' } },
            { name: 'edit_file', args: { file_path: 'a.md', old_string: 'two', new_string: 'TWO' } },
          ]
        : 'done',
    )
    const agent = createDeepAgent({
      instructions: 'Edit.',
      model: server.openai(),
      checkpointer: new MemorySaver(),
    })
    const result = await agent.invoke(
      { messages: [{ role: 'user', content: 'go' }], files: { 'a.md': 'one two' } },
      { configurable: { thread_id: '1' } },
    )
    expect(result.files).toEqual({ 'a.md': 'ONE TWO' })
  })

  it('parallel subs', async () => {
    const server = await serve(({ user, turn }) => {
      if (user === 'go')
        return turn === 0
          ? ['A', 'B'].map((x) => ({
              name: 'task',
              args: { description: x, subagent_type: 'general-purpose' },
            }))
          : 'all done'
      const w = user === 'A' ? ['one', 'ONE'] : ['two', 'TWO']
      if (turn === 0) return [{ name: 'read_file', args: { file_path: 'a.md' } }]
      return turn === 1
        ? [{ name: 'edit_file', args: { file_path: 'a.md', old_string: w[0], new_string: w[1] } }]
        : `finished ${user}`
    })
    const agent = createDeepAgent({
      instructions: 'Edit.',
      model: server.ollama(),
      checkpointer: new MemorySaver(),
    })
    const result = await agent.invoke(
      { messages: [{ role: 'user', content: 'go' }], files: { 'a.md': 'one two' } },
      { configurable: { thread_id: '1' } },
    )
    expect(result.files).toEqual({ 'a.md': 'ONE TWO' })
  })
})
