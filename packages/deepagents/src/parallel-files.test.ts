import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { createDeepAgent } from './create-deep-agent.ts'
import type { Call } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const NAMES = ['a.md', 'b.md', 'c.md']
const WORDS = ['one', 'two', 'six', 'ten']

const change = fc.oneof(
  fc.record({
    name: fc.constant('write_file' as const),
    args: fc.record({
      file_path: fc.constantFrom(...NAMES),
      content: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(' ')),
    }),
  }),
  fc.record({
    name: fc.constant('edit_file' as const),
    args: fc.record({
      file_path: fc.constantFrom(...NAMES),
      old_string: fc.constantFrom(...WORDS),
      new_string: fc.constantFrom('ONE', 'TWO', ''),
      replace_all: fc.boolean(),
    }),
  }),
  fc.record({
    name: fc.constant('delete_file' as const),
    args: fc.record({ file_path: fc.constantFrom(...NAMES) }),
  }),
  fc.record({
    name: fc.constant('read_file' as const),
    args: fc.record({ file_path: fc.constantFrom(...NAMES) }),
  }),
)
const turns = fc.array(fc.array(change, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 })
const run = fc.record({
  agents: fc.array(turns, { minLength: 2, maxLength: 4 }),
  delays: fc.array(fc.nat({ max: 6 }), { minLength: 20, maxLength: 20 }),
})

interface Acknowledged {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Written again, on purpose, in the plainest way: what each acknowledged call means when it runs alone. */
function apply(files: Map<string, string>, { name, args }: Acknowledged): boolean {
  const file = String(args['file_path'])
  const before = files.get(file)
  if (name === 'read_file') return before !== undefined
  if (name === 'write_file') files.set(file, String(args['content']))
  if (name === 'delete_file') return files.delete(file)
  if (name === 'edit_file') {
    const parts = before?.split(String(args['old_string'])) ?? []
    if (parts.length < 2 || (parts.length > 2 && args['replace_all'] !== true)) return false
    files.set(file, parts.join(String(args['new_string'])))
  }
  return true
}

it('ends in a state that the acknowledged calls explain in the order in which they were acknowledged', async () => {
  let script: { agents: readonly (readonly (readonly Call[])[])[]; delays: readonly number[] } = {
    agents: [],
    delays: [],
  }
  let asked = 0
  const server = await serve(async ({ user, turn }) => {
    if (user === 'go') {
      if (turn > 0) return 'done'
      return script.agents.map((_, index) => ({
        name: 'task',
        args: { description: String(index), subagent_type: 'general-purpose' },
      }))
    }
    asked += 1
    await new Promise((resolve) => setTimeout(resolve, script.delays[asked % script.delays.length]))
    return script.agents[Number(user)]?.[turn] ?? 'finished'
  })
  const agent = createDeepAgent({
    instructions: 'x',
    model: server.openai(),
    checkpointer: new MemorySaver(),
  })
  let threads = 0

  await fc.assert(
    fc.asyncProperty(run, async (given) => {
      script = given
      asked = 0
      const base = { 'a.md': 'one two one', 'b.md': 'six ten' }
      const acknowledged: Acknowledged[] = []
      const refused: Acknowledged[] = []
      const watch = BaseCallbackHandler.fromMethods({
        handleToolEnd(output) {
          const message = messageIn(output)
          if (message === undefined || message.name === 'task') return
          const call = callsById.get(message.tool_call_id)
          if (call === undefined) throw new Error('an answer without a call')
          ;(message.status === 'error' ? refused : acknowledged).push(call)
        },
        handleLLMEnd(output) {
          for (const generation of output.generations.flat()) {
            if (!('message' in generation)) continue
            for (const call of toolCallsOf(generation.message)) callsById.set(call.id, call)
          }
        },
      })
      const callsById = new Map<string, Acknowledged>()
      threads += 1
      const state = await agent.invoke(
        { messages: [new HumanMessage('go')], files: base },
        { callbacks: [watch], configurable: { thread_id: String(threads) } },
      )

      const files = new Map(Object.entries(base))
      expect(acknowledged.filter((call) => !apply(files, call))).toEqual([])
      expect(state.files).toEqual(Object.fromEntries(files))
      const total = given.agents.flat(2).length
      expect(acknowledged.length + refused.length).toBe(total)
    }),
    { numRuns: 20 },
  )
})

function messageIn(output: unknown): ToolMessage | undefined {
  if (ToolMessage.isInstance(output)) return output
  if (typeof output !== 'object' || output === null || !('update' in output)) return undefined
  const { update } = output
  if (typeof update !== 'object' || update === null || !('messages' in update)) return undefined
  return Array.isArray(update.messages)
    ? update.messages.find((one: unknown) => ToolMessage.isInstance(one))
    : undefined
}

function toolCallsOf(message: unknown): (Acknowledged & { id: string })[] {
  if (typeof message !== 'object' || message === null || !('tool_calls' in message)) return []
  return Array.isArray(message.tool_calls) ? message.tool_calls : []
}
