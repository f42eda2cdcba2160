// Prompts: what an evaluation adds to a bare agent, what a thousand of them leave behind, how exact a deadline is.
// Usage: node --expose-gc bench/prompts.mjs
import { createServer } from 'node:http'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { createSession, Deadline, definePrompt, LangGraphAdapter, ok, section, tool } from '@clewline/prompts'
import { createAgent, tool as langChainTool } from 'langchain'
import { z } from 'zod'

const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }

/** Calls the tool once, then answers; no time of its own. */
class InstantModel extends BaseChatModel {
  _llmType() {
    return 'instant'
  }
  bindTools(tools, kwargs) {
    return this.withConfig({ ...kwargs, tools })
  }
  async _generate(messages) {
    const answered = messages.at(-1)?.getType() === 'tool'
    const message = answered
      ? new AIMessage({ content: 'Done.', usage_metadata })
      : new AIMessage({
          content: '',
          usage_metadata,
          tool_calls: [{ id: 'c', name: 'add', args: { a: 1, b: 2 } }],
        })
    return { generations: [{ text: message.text, message }] }
  }
}

const params = z.object({ a: z.number(), b: z.number() })
const add = tool({ name: 'add', description: 'Adds.', params, handler: ({ a, b }) => ok(a + b) })
const prompt = definePrompt({
  ns: 'bench',
  key: 'add',
  sections: [
    section({
      key: 'task',
      title: 'Task',
      template: 'Add {{what}}.',
      params: z.object({ what: z.string() }),
      tools: [add],
    }),
  ],
})
const bound = prompt.bind({ what: 'one and two' })
const model = new InstantModel({})
const adapter = new LangGraphAdapter({ model })
const agent = createAgent({
  model,
  tools: [langChainTool(({ a, b }) => String(a + b), { name: 'add', description: 'Adds.', schema: params })],
  systemPrompt: bound.render().text,
})

const bare = () => agent.invoke({ messages: [{ role: 'user', content: 'Go.' }] })
const evaluate = () =>
  adapter.evaluate(bound, { session: createSession(), input: 'Go.', budget: { maxTotalTokens: 1000 } })

await overhead()
await heap()
await deadline()

/** Says so and fails the benchmark when a figure that must hold does not. */
function mustHold(holds, what) {
  if (holds) return
  console.error(`missed: ${what}`)
  process.exitCode = 1
}

/** Alternating rounds, CPU time, the best of each: others may be using the machine. */
async function overhead() {
  const runs = 25
  const best = { bare: Infinity, evaluate: Infinity }
  for (let round = 0; round < 60; round += 1)
    for (const [name, run] of [
      ['bare', bare],
      ['evaluate', evaluate],
    ]) {
      const before = process.cpuUsage()
      for (let at = 0; at < runs; at += 1) await run()
      const { user, system } = process.cpuUsage(before)
      best[name] = Math.min(best[name], (user + system) / 1000 / runs)
    }
  const added = best.evaluate - best.bare
  console.log(`bare createAgent      ${best.bare.toFixed(2)} ms of CPU per call (two model calls, one tool)`)
  console.log(`adapter.evaluate      ${best.evaluate.toFixed(2)} ms`)
  console.log(
    `added                 ${added.toFixed(2)} ms  (x${(best.evaluate / best.bare).toFixed(2)}, must be under 1 ms)`,
  )
  mustHold(added < 1, 'an evaluation adds under 1 ms')
}

async function heap() {
  if (globalThis.gc === undefined) {
    console.log('heap                  not measured: run with --expose-gc')
    return
  }
  const used = async () => {
    // Streams of LangGraph are let go a moment after they ended.
    await new Promise((resolve) => setTimeout(resolve, 500))
    globalThis.gc()
    globalThis.gc()
    return process.memoryUsage().heapUsed / 2 ** 20
  }
  const thousand = () => Promise.all(Array.from({ length: 1000 }, evaluate))
  await thousand()
  const before = await used()
  const begun = performance.now()
  await thousand()
  const took = performance.now() - begun
  const grown = (await used()) - before
  console.log(
    `1,000 in parallel     ${took.toFixed(0)} ms, heap ${grown >= 0 ? '+' : ''}${grown.toFixed(2)} MB after collection (must stay within 10 MB)`,
  )
  mustHold(grown < 10, 'the heap stays within 10 MB')
}

async function deadline() {
  const { ChatOpenAI } = await import('@langchain/openai')
  let arrived = 0
  let cut = 0
  const server = createServer((request, response) => {
    arrived += 1
    request.resume()
    const timer = setTimeout(() => response.end('{}'), 5000)
    response.on('close', () => {
      clearTimeout(timer)
      if (!response.writableFinished) cut += 1
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const configuration = { baseURL: `http://127.0.0.1:${server.address().port}/v1` }
  const slow = new LangGraphAdapter({
    model: new ChatOpenAI({ model: 'x', apiKey: 'x', maxRetries: 0, configuration }),
  })
  const times = []
  const late = []
  for (let at = 0; at < 10; at += 1) {
    const begun = performance.now()
    // On a busy machine every timer is late; what the adapter adds to a bare one is its own.
    const bareTimer = new Promise((resolve) => setTimeout(() => resolve(performance.now() - begun), 200))
    const limit = Deadline.after(200)
    const rejected = await slow.evaluate(bound, { session: createSession(), deadline: limit }).then(
      () => Infinity,
      () => performance.now() - begun,
    )
    times.push(rejected)
    late.push(rejected - (await bareTimer))
  }
  times.sort((a, b) => a - b)
  const worst = Math.max(...late)
  for (let waited = 0; cut < arrived && waited < 2000; waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10))
  console.log(
    `deadline of 200 ms    rejected after ${times[5].toFixed(0)} ms (median of 10), at worst ${worst.toFixed(1)} ms later than a bare timer (must be under 50 ms), ${cut} of ${arrived} requests closed`,
  )
  mustHold(worst < 50, 'a deadline of 200 ms rejects within 250 ms')
  mustHold(cut === arrived && arrived > 0, 'the request is closed when the deadline passes')
  server.close()
}
