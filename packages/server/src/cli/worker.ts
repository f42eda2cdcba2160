import type { Command } from './command.ts'
import { write, writeJson } from './io.ts'
import { DRAIN_OPTIONS, STORE_OPTIONS } from './shared-options.ts'
import { shutDown } from './shut-down.ts'
import { untilStopped } from './until-stopped.ts'

/** `clewline worker` */
export const worker: Command = {
  name: 'worker',
  summary: 'Run agents for other processes that share the store, without serving anything.',
  args: '',
  options: {
    concurrency: { value: 'N', about: 'Runs at the same time (default 256).' },
    ...STORE_OPTIONS,
    ...DRAIN_OPTIONS,
    json: { about: 'Print {agents} as one JSON line when ready.' },
  },
  details: `For a store that several processes can share (postgres://…): put N workers beside the servers. SIGTERM and
Ctrl-C hand its runs over to the others.`,
  examples: ['clewline worker --store postgres://localhost/clewline --concurrency 8'],
  async run(given, io) {
    const concurrency = given.number('concurrency')
    const { openClewline } = await import('./open-clewline.ts')
    const { clewline } = await openClewline(given, io, concurrency === undefined ? {} : { concurrency })
    const agents = [...clewline.agents.keys()]
    if (given.flag('json')) await writeJson(io.stdout, { agents })
    else await write(io.stdout, `Waiting for runs of: ${agents.join(', ')}\n`)
    await untilStopped(io.signal)
    return await shutDown(clewline, given, io)
  },
}
