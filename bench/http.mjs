// Clewline beside the LangGraph API server and beside the CopilotKit runtime in front of it: the same graph, real HTTP, one
// machine, one run. Clewline's log is durable, the others' is in memory. Read the ratios.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { best } from './http/best.mjs'
import { copilotkitRun, langgraphRun, clewlineAguiRun, clewlineRun } from './http/clients.mjs'
import { startServer } from './http/server-process.mjs'

const TOKENS = Number(process.env.BENCH_TOKENS ?? 20_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const READERS = Number(process.env.BENCH_READERS ?? 1_000)

async function firstToken(run, times = 20) {
  const found = []
  for (let i = 0; i < times; i++) found.push((await run()).first ?? Infinity)
  found.sort((a, b) => a - b)
  return { p50: found[Math.floor(times / 2)], p95: found[Math.floor(times * 0.95) - 1] }
}

const clewline = await startServer('./clewline-server.mjs')
const langgraph = await startServer('./langgraph-server.mjs', 24_000 + (process.pid % 1_000))
// Everyone is warm first: a server runs for longer than it takes V8 to compile it.
await clewlineRun(clewline, TOKENS)
for (const mode of ['messages-tuple', 'events']) await langgraphRun(langgraph, TOKENS, { mode })
const { ours, ...modes } = await best(
  {
    ours: { servers: [clewline], run: () => clewlineRun(clewline, TOKENS) },
    'messages-tuple': { servers: [langgraph], run: () => langgraphRun(langgraph, TOKENS) },
    events: { servers: [langgraph], run: () => langgraphRun(langgraph, TOKENS, { mode: 'events' }) },
  },
  TOKENS,
  ROUNDS,
)
const [mode, theirs] = Object.entries(modes).sort(([, a], [, b]) => b.rate - a.rate)[0]
const ourFirst = await firstToken(() => clewlineRun(clewline, 300))
const theirFirst = await firstToken(() => langgraphRun(langgraph, 300, { mode }))
const user = await clewlineRun(clewline, TOKENS, { profile: 'user' })
const agui = await clewlineAguiRun(clewline, TOKENS)

const chain = await startServer('./copilotkit-server.mjs', langgraph.url).then(
  async (copilotkit) => {
    const run = () => copilotkitRun(copilotkit, TOKENS)
    const result = await best({ chain: { servers: [copilotkit, langgraph], run } }, TOKENS, 1)
    await copilotkit.stop()
    return result.chain
  },
  (error) => console.log(`  CopilotKit is left out: ${error.message}`),
)
await langgraph.stop()

const row = (name, found) =>
  console.log(
    `  ${name.padEnd(34)} ${Math.round(found.rate).toString().padStart(7)} tokens/s ${found.cpu.toFixed(1).padStart(8)} µs CPU/token ${Math.round(found.bytes).toString().padStart(6)} bytes/token`,
  )
console.log(`One client, ${TOKENS} tokens, best of ${ROUNDS}:`)
row('clewline (debug, durable)', ours)
row(`langgraph-api 1.5.1 (${mode})`, theirs)
if (chain !== undefined) row('CopilotKit 1.75 + langgraph-api', chain)
console.log(`  tokens/s: ${(ours.rate / theirs.rate).toFixed(1)} × langgraph-api (goal 3)`)
// On a busy machine this ratio holds where the one above shrinks: nobody waits for a processor in it.
console.log(`  CPU per token: ${(theirs.cpu / ours.cpu).toFixed(1)} × less than langgraph-api`)
if (chain !== undefined) {
  console.log(`  tokens/s: ${(ours.rate / chain.rate).toFixed(1)} × the chain (goal 8)`)
  console.log(`  CPU per token: ${(chain.cpu / ours.cpu).toFixed(1)} × less than the chain (goal 8)`)
}
console.log(
  `Start to first token: clewline p50 ${ourFirst.p50.toFixed(0)} p95 ${ourFirst.p95.toFixed(0)} ms, langgraph-api p50 ${theirFirst.p50.toFixed(0)} p95 ${theirFirst.p95.toFixed(0)} ms: ${(ourFirst.p95 / theirFirst.p95).toFixed(2)} of theirs at p95 (goal 0.25)`,
)
console.log(
  `Bytes per token: debug ${ours.bytes.toFixed(0)} (goal 350), AG-UI ${(agui.bytes / TOKENS).toFixed(0)} (goal 120), user ${(user.bytes / TOKENS).toFixed(0)} (goal 60)`,
)
await clewline.stop()
await fanOut()

/** On a server of its own, so that memory is that of the readers and not of what was run before. */
async function fanOut() {
  const tokens = 9_999
  const clewline = await startServer('./clewline-server.mjs')
  const post = (path, body) =>
    fetch(`${clewline.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await clewlineRun(clewline, 300)
  await post('/api/threads', { thread_id: 'fan-out' })
  const script = fileURLToPath(new URL('./http/fan-out.mjs', import.meta.url))
  const url = `${clewline.url}/api/threads/fan-out/events?profile=debug`
  const first = fork(script, [url, '100', '0'])
  await once(first, 'message')
  const idle = await clewline.memory()
  const watchers = fork(script, [url, String(READERS), String(tokens)])
  await once(watchers, 'message')
  const connected = await clewline.memory()
  first.kill()
  console.log(
    `${READERS} idle readers: ${((connected - idle) / READERS / 1024).toFixed(1)} kB each (goal 16)`,
  )
  const before = await clewline.cpu()
  const started = performance.now()
  const input = { messages: [{ role: 'user', content: `tokens=${tokens}` }] }
  await post('/api/threads/fan-out/runs', { agent: 'bench', input })
  const [{ received }] = await once(watchers, 'message')
  const seconds = (performance.now() - started) / 1000
  const perDelivery = ((await clewline.cpu()) - before) / received
  console.log(
    `${READERS} readers of one run: ${received} envelopes delivered in ${seconds.toFixed(1)} s, ${perDelivery.toFixed(2)} µs CPU each (goal 3; peers 81 and 88)`,
  )
  watchers.kill()
  await clewline.stop()
}
