import type { Command } from './command.ts'
import { write, writeJson } from './io.ts'
import { linksOf } from './links.ts'
import { noteServer } from './noted-server.ts'
import { DRAIN_OPTIONS, STORE_OPTIONS } from './shared-options.ts'
import { shutDown } from './shut-down.ts'
import { untilStopped } from './until-stopped.ts'

/** `clewline start` */
export const start: Command = {
  name: 'start',
  summary: 'Serve your agents: studio, API and AG-UI on one port.',
  args: '',
  options: {
    port: { value: 'N', short: 'p', about: 'Port (default 8123; 0 for any free one).' },
    host: { value: 'ADDRESS', about: 'Address to listen on (default 127.0.0.1). Any other needs a token.' },
    token: { value: 'TOKEN', about: 'What clients must send as Authorization: Bearer (or CLEWLINE_TOKEN).' },
    ...STORE_OPTIONS,
    ...DRAIN_OPTIONS,
    debug: { about: 'Show stack traces to clients.' },
    json: { about: 'Print {url, agents, model, scripted} as one JSON line when ready.' },
  },
  details: `Agents come from clewline.config.ts or an existing langgraph.json in this directory. Runs that an earlier
process left are taken up again. SIGTERM and Ctrl-C stop at the next point from which they can go on; a second one
does not wait. Exit code 4: it stopped, but runs could not be handed over and are taken up as after a crash.`,
  examples: [
    'clewline start',
    'clewline start --port 8080 --store ./data --model ollama:llama3.2',
    'clewline start --host 0.0.0.0 --token "$(openssl rand -hex 32)"',
  ],
  async run(given, io) {
    const [{ openClewline }, { serve }] = await Promise.all([
      import('./open-clewline.ts'),
      import('../serve.ts'),
    ])
    const token = given.text('token') ?? io.env['CLEWLINE_TOKEN']
    const port = given.number('port')
    const host = given.text('host')
    const { clewline, config } = await openClewline(given, io, {
      ...(token !== undefined && token !== '' && { token }),
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(given.flag('debug') && { debug: true }),
    })
    const serving = await serve(clewline, config).catch(async (error: unknown) => {
      await clewline.close()
      throw error
    })
    const [local = serving.url] = linksOf({ host: config.host ?? '127.0.0.1', port: serving.port }, undefined)
    const forget = await noteServer(config.store, local)
    const agents = [...clewline.agents.keys()]
    const { model = null, scripted = false } = config.info ?? {}
    if (given.flag('json')) await writeJson(io.stdout, { url: serving.url, agents, model, scripted })
    else {
      // A log that is kept must not hold the token; a person at a terminal wants a link to click, or to send to a phone.
      const shown = io.stdout.isTTY === true ? config.token : undefined
      const [link, ...others] = linksOf({ host: config.host ?? '127.0.0.1', port: serving.port }, shown)
      const lines = [
        `Clewline is ready: ${link}`,
        ...others.map((other) => `  from elsewhere: ${other}`),
        `  agents: ${agents.join(', ')}`,
        ...(model === null ? [] : [`  model:  ${model}${scripted ? ' (scripted, offline)' : ''}`]),
        '  Ctrl-C stops it.',
      ]
      await write(io.stdout, `${lines.join('\n')}\n`)
    }
    await untilStopped(io.signal)
    if (!given.flag('json')) await write(io.stdout, 'Stopping: runs are handed over.\n')
    await forget()
    return await shutDown(serving, given, io)
  },
}
