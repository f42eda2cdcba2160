// Latency: how soon a cancel is over, a reader that comes back has its first event, a model's first word is on the wire.
// Usage: node bench/latency.mjs
import { createAdaptorServer } from '@hono/node-server'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { scriptedModel } from '@clewline/langgraph/testing'
import { ChatAgent, createLangroidApp, LangroidAgent } from '@clewline/langroid'
import { createClewline, serve } from '@clewline/server'

const model = scriptedModel(() => ({ text: Array.from({ length: 500 }, (_, i) => `w${i} `), delayMs: 5 }))
const slow = new StateGraph(MessagesAnnotation)
  .addNode('speak', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'speak')
  .compile()

const clewline = await createClewline({ agents: { slow }, store: ':memory:' })
const serving = await serve(clewline, { port: 0 })

await cancel()
for (const profile of ['debug', 'user']) await resume(profile)
await serving.close()
await firstWord()

async function cancel() {
  const times = []
  for (let i = 0; i < 15; i++) {
    const { thread_id } = await clewline.threads.create({})
    const input = { messages: [{ role: 'user', content: 'go' }] }
    const { run } = await clewline.runs.create(thread_id, { agent: 'slow', input })
    for await (const entries of clewline.log.read(thread_id))
      if (entries.some(({ envelope }) => envelope.type === 'llm_token')) break
    const began = performance.now()
    const { status } = await clewline.runs.cancel(thread_id, run.run_id)
    mustHold(status === 'cancelled', 'a cancelled run is cancelled')
    times.push(performance.now() - began)
  }
  report('cancel a run amid its model call', times, 100)
}

/** A fresh connection to a thread of one event is what HTTP itself costs. */
async function resume(profile) {
  await clewline.threads.create({ thread_id: `long-${profile}` })
  await clewline.threads.create({ thread_id: `short-${profile}` })
  await clewline.log.append(
    `long-${profile}`,
    Array.from({ length: 100_000 }, (_, i) => token(i)),
  )
  await clewline.log.append(`short-${profile}`, [token(0)])
  const times = []
  for (let i = 0; i < 25; i++) {
    const fresh = await firstEvent(`short-${profile}/events?profile=${profile}`)
    times.push((await firstEvent(`long-${profile}/events?profile=${profile}&after=99000`)) - fresh)
  }
  report(`resume at 99,000 of 100,000 (${profile}), beyond a fresh connection`, times, 20)
}

async function firstEvent(path) {
  const stop = new AbortController()
  const began = performance.now()
  const response = await fetch(`${serving.url}/api/threads/${path}`, { signal: stop.signal })
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('\ndata: ')) break
  }
  const took = performance.now() - began
  stop.abort()
  return took
}

async function firstWord() {
  let saidAt = 0
  const instant = {
    name: 'instant',
    async *stream() {
      await new Promise((resolve) => setTimeout(resolve, 20))
      saidAt = performance.now()
      yield { type: 'text', delta: 'now' }
      yield { type: 'end', finish_reason: 'stop', usage: {} }
    },
  }
  const app = createLangroidApp(LangroidAgent(ChatAgent({ name: 'instant', model: instant })))
  const server = createAdaptorServer(app)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const times = []
  for (let i = 0; i < 25; i++) {
    const messages = [{ id: 'm', role: 'user', content: 'hi' }]
    const body = { threadId: `t${i}`, runId: `r${i}`, messages, tools: [], context: [], state: {} }
    const response = await fetch(`http://127.0.0.1:${server.address().port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ ...body, forwardedProps: {} }),
    })
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream()))
      if (chunk.includes('"now"')) {
        times.push(performance.now() - saidAt)
        break
      }
  }
  server.closeAllConnections()
  server.close()
  report('first word of a Langroid agent, from the model to the client', times, 10)
}

function token(seq) {
  return {
    type: 'llm_token',
    ts: 0,
    trace_id: 'trace',
    run_id: 'run',
    call_id: 'call',
    parent_id: null,
    seq,
    origin: 'live',
    agent: 'slow',
    payload: { text: 'word ' },
  }
}

function report(what, times, limit) {
  times.sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]
  console.log(
    `${what.padEnd(66)} ${median.toFixed(1)} ms median, ${times.at(-1).toFixed(1)} worst (must be under ${limit})`,
  )
  mustHold(median < limit, `${what} within ${limit} ms`)
}

function mustHold(holds, what) {
  if (holds) return
  console.error(`missed: ${what}`)
  process.exitCode = 1
}
