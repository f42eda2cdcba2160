// What observing a run costs: 20,000 tokens through two nested sub-graphs, as CPU time per token, the least of several
// rounds that take turns in one process. Then: does memory stay flat over 200,000 tokens?
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { memoryLog } from '@clewline/core'
import { driveRun } from '@clewline/core/source'
import { fromGraph } from '@clewline/langgraph'
import { scriptedModel } from '@clewline/langgraph/testing'

const TOKENS = 20_000
const ROUNDS = 7
const input = { messages: [{ role: 'user', content: 'hi' }] }
const words = Array.from({ length: TOKENS }, (_, i) => `word${i % 100} `)

const inner = (name, node) =>
  new StateGraph(MessagesAnnotation).addNode('work', node).addEdge(START, 'work').compile({ name })

function nested(times = 1, checkpointer = new MemorySaver()) {
  const model = scriptedModel(() => ({ text: words }))
  const deep = inner('deep', async () => {
    for (let i = 0; i < times; i += 1) await model.invoke(input.messages)
    return {}
  })
  const research = inner('research', deep)
  return new StateGraph(MessagesAnnotation)
    .addNode('research', research)
    .addEdge(START, 'research')
    .compile({ name: 'nested', checkpointer })
}

class DoNothing extends BaseCallbackHandler {
  name = 'DoNothing'
  awaitHandlers = true
  lc_prefer_streaming = true
  handleLLMNewToken() {}
}

let thread = 0
const configurable = () => ({ thread_id: `thread-${(thread += 1)}` })

/** A runtime like the server's: stamp, gather, append. */
async function drive(source, append) {
  let batch = []
  const flush = () => {
    const full = batch
    batch = []
    return append(full)
  }
  const ids = { ...configurable(), run_id: 'run', trace_id: `trace-${thread}` }
  await driveRun(
    source,
    { kind: 'input', input },
    {
      ...ids,
      write(envelopes) {
        for (const envelope of envelopes) batch.push(envelope)
        if (batch.length >= 256) return flush()
      },
    },
  )
  await flush()
}

const graph = nested()
const source = fromGraph(graph)
const contenders = {
  async 'do-nothing callback handler'() {
    await graph.invoke(input, { callbacks: [new DoNothing()], configurable: configurable() })
  },
  async 'fromGraph, log in memory'() {
    const log = memoryLog()
    await drive(source, (envelopes) => log.append('thread', envelopes))
    const logged = await log.last('thread')
    if (logged < TOKENS) throw new Error(`only ${logged} envelopes`)
  },
  async 'streamEvents v2, iterated'() {
    let count = 0
    for await (const _event of graph.streamEvents(input, { version: 'v2', configurable: configurable() }))
      count += 1
    if (count < TOKENS) throw new Error(`only ${count} events`)
  },
}

const least = Object.fromEntries(Object.keys(contenders).map((name) => [name, Infinity]))
for (let round = -1; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(contenders)) {
    globalThis.gc?.()
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    // The first round warms up.
    if (round >= 0) least[name] = Math.min(least[name], (user + system) / TOKENS)
  }
}

const [nothing, ours, events] = Object.values(least)
for (const [name, cost] of Object.entries(least))
  console.log(`${name.padEnd(30)} ${cost.toFixed(2)} µs a token`)
console.log(`fromGraph / do-nothing handler: ${(ours / nothing).toFixed(2)} (must be at most 1.25)`)
console.log(`fromGraph / streamEvents v2:    ${(ours / events).toFixed(2)} (must be at most 0.65)`)

const heap = []
let seen = 0
let sampled = 0
await drive(fromGraph(nested(10)), (envelopes) => {
  seen += envelopes.length
  if (seen - sampled < TOKENS) return
  sampled = seen
  globalThis.gc?.()
  heap.push(process.memoryUsage().heapUsed / 1e6)
})
const spread = Math.max(...heap) - Math.min(...heap)
console.log(
  `heap over ${seen} envelopes without a reader: ${Math.min(...heap).toFixed(0)} to ${Math.max(...heap).toFixed(0)} MB, spread ${spread.toFixed(1)} MB (must be within 20)`,
)
if (ours / nothing > 1.25 || ours / events > 0.65 || spread > 20) process.exitCode = 1
