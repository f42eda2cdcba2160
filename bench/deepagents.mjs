// What a tool call of a deep agent costs over the same call of a bare `createAgent`, with a model that costs nothing.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createDeepAgent } from '@clewline/deepagents'
import { createAgent } from 'langchain'
import { z } from 'zod'

const TURNS = 20
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 60)
const LIMIT_MS = 0.3

class CallingModel extends BaseChatModel {
  constructor(call) {
    super({})
    this.call = call
  }
  _llmType() {
    return 'bench'
  }
  bindTools() {
    return this
  }
  async _generate(messages) {
    const turn = messages.filter((message) => message.type === 'ai').length
    const tool_calls = turn < TURNS ? [{ ...this.call(turn), id: `call_${turn}`, type: 'tool_call' }] : []
    const message = new AIMessage({ content: turn < TURNS ? '' : 'done', tool_calls })
    return { generations: [{ text: '', message }] }
  }
}

const noop = tool(() => 'ok', { name: 'noop', description: 'Does nothing', schema: z.object({}) })
const files = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`file_${index}.md`, 'line\n'.repeat(50)]),
)
const todos = [{ content: 'one', status: 'in_progress' }]
const calls = {
  noop: () => ({ name: 'noop', args: {} }),
  ls: () => ({ name: 'ls', args: {} }),
  read_file: () => ({ name: 'read_file', args: { file_path: 'file_1.md' } }),
  write_file: (turn) => ({
    name: 'write_file',
    args: { file_path: `new_${turn % 5}.md`, content: `text ${turn}` },
  }),
  edit_file: (turn) => ({
    name: 'edit_file',
    args: { file_path: 'counter.md', old_string: `at ${turn};`, new_string: `at ${turn + 1};` },
  }),
  write_todos: () => ({ name: 'write_todos', args: { todos } }),
}

const bare = createAgent({ model: new CallingModel(calls.noop), tools: [noop], systemPrompt: 'Work.' })
const deep = Object.fromEntries(
  Object.entries(calls).map(([name, call]) => [
    name,
    createDeepAgent({ instructions: 'Work.', model: new CallingModel(call), tools: [noop] }),
  ]),
)

async function perCall(agent, input) {
  const before = process.cpuUsage()
  await agent.invoke(
    { messages: [{ role: 'user', content: 'go' }], ...input },
    { recursionLimit: 10 * TURNS },
  )
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / TURNS
}

const input = { files: { ...files, 'counter.md': 'at 0;' } }
const best = Object.fromEntries(['bare', ...Object.keys(deep)].map((name) => [name, Infinity]))
// CPU time of short runs, all in turns, and the best of many: others may be using the machine.
for (let round = 0; round < ROUNDS; round += 1) {
  best.bare = Math.min(best.bare, await perCall(bare, {}))
  for (const [name, agent] of Object.entries(deep))
    best[name] = Math.min(best[name], await perCall(agent, input))
}

console.log(
  `deep agent with 21 files, CPU time per tool call over a bare createAgent (${best.bare.toFixed(3)} ms), best of ${ROUNDS} rounds of ${TURNS} calls:`,
)
let failed = 0
for (const name of Object.keys(deep)) {
  const over = best[name] - best.bare
  if (over >= LIMIT_MS) failed += 1
  const verdict = over < LIMIT_MS ? 'ok' : 'OVER'
  console.log(
    `  ${name.padEnd(12)} ${over < 0 ? '' : '+'}${over.toFixed(3)} ms  ${(best[name] / best.bare).toFixed(2)}x  ${verdict}`,
  )
}
if (failed > 0) {
  console.error(`${failed} over the limit of ${LIMIT_MS} ms`)
  process.exitCode = 1
}
