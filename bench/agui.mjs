// What a reader costs the server: the same run without one, with a reader of the envelopes, and with an AG-UI client. First
// in a burst, then many runs at once at the pace of a model, where each token is a commit and a write of its own.
import { best } from './http/best.mjs'
import { clewlineAguiRun, clewlineRun, unreadRun } from './http/clients.mjs'
import { startServer } from './http/server-process.mjs'

const TOKENS = Number(process.env.BENCH_TOKENS ?? 20_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const RUNS = Number(process.env.BENCH_RUNS ?? 100)
const PACED_TOKENS = 300
const PAUSE_MS = 20

const clewline = await startServer('./clewline-server.mjs')
const readers = {
  'no reader': (tokens, options) => unreadRun(clewline, tokens, options),
  debug: (tokens, options) => clewlineRun(clewline, tokens, options),
  'AG-UI': (tokens, options) => clewlineAguiRun(clewline, tokens, options),
}
const contenders = (run) =>
  Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [name, { servers: [clewline], run: () => run(read) }]),
  )

/** Many at once; bytes are those of all, time is that of the slowest. */
async function together(read) {
  const results = await Promise.all(
    Array.from({ length: RUNS }, () => read(PACED_TOKENS, { pause: PAUSE_MS })),
  )
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  return { bytes: sum('bytes'), ms: Math.max(...results.map(({ ms }) => ms)) }
}

function print(title, found) {
  console.log(title)
  for (const [name, { cpu, bytes }] of Object.entries(found)) {
    const more = cpu - found['no reader'].cpu
    console.log(
      `  ${name.padEnd(10)} ${cpu.toFixed(1).padStart(7)} µs CPU/token, of which the reader ${more.toFixed(1).padStart(6)}, ${bytes.toFixed(0).padStart(4)} bytes/token`,
    )
  }
}

// Everyone is warm first: a server runs for longer than it takes V8 to compile it.
for (const read of Object.values(readers)) await read(TOKENS)
print(
  `One run in a burst, ${TOKENS} tokens, best of ${ROUNDS}:`,
  await best(
    contenders((read) => read(TOKENS)),
    TOKENS,
    ROUNDS,
  ),
)
print(
  `${RUNS} runs at once, a token every ${PAUSE_MS} ms each, best of 2:`,
  await best(contenders(together), RUNS * PACED_TOKENS, 2),
)
await clewline.stop()
