import { EXIT, type Command } from './command.ts'
import { write, writeJson } from './io.ts'
import { STORE_OPTIONS } from './shared-options.ts'
import { untilStopped } from './until-stopped.ts'

/** `skein worker` */
export const worker: Command = {
  name: 'worker',
  summary: 'Run agents for other processes that share the store, without serving anything.',
  args: '',
  options: {
    concurrency: { value: 'N', about: 'Runs at the same time (default 32).' },
    ...STORE_OPTIONS,
    json: { about: 'Print {agents} as one JSON line when ready.' },
  },
  details: `For a store that several processes can share (postgres://…): put N workers beside the servers. SIGTERM and
Ctrl-C hand its runs over to the others.`,
  examples: ['skein worker --store postgres://localhost/skein --concurrency 8'],
  async run(given, io) {
    const concurrency = given.number('concurrency')
    const { openSkein } = await import('./open-skein.ts')
    const { skein } = await openSkein(given, io, concurrency === undefined ? {} : { concurrency })
    const agents = [...skein.agents.keys()]
    if (given.flag('json')) await writeJson(io.stdout, { agents })
    else await write(io.stdout, `Waiting for runs of: ${agents.join(', ')}\n`)
    await untilStopped(io.signal)
    await skein.close()
    return EXIT.done
  },
}
