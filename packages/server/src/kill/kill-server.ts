import { createClewline } from '../create-clewline.ts'
import { serve } from '../serve.ts'
import { killAgents } from './kill-agents.ts'

// node … kill-server.ts STORE CLOCK: a server on a clock that starts at CLOCK, so that a cron on SQLite can be made to tick at
// once. A Postgres store has a clock of its own.
const [, , store = '', clock = ''] = process.argv
const ahead = Number(clock) - Date.now()
const clewline = await createClewline({
  agents: killAgents,
  store,
  now: () => Date.now() + ahead,
  maxCrashes: 50,
  // On a store that processes share, the successor of a killed one waits for its lease to run out.
  leaseMs: 1_500,
})
const { url } = await serve(clewline, { port: 0 })
process.stdout.write(`${url}\n`)
process.once('SIGTERM', () => {
  void clewline.close().then(() => process.exit(0))
})
