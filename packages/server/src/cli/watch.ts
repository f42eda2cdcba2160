import { EXIT, type Command } from './command.ts'
import { serverOf } from './noted-server.ts'
import { DEFAULT_URL, SERVER_OPTIONS, tokenOf } from './shared-options.ts'
import { createShow } from './show.ts'

/** `clewline watch THREAD` */
export const watch: Command = {
  name: 'watch',
  summary: 'Watch a thread of a running Clewline, across its runs, until Ctrl-C.',
  args: 'THREAD',
  options: {
    ...SERVER_OPTIONS,
    after: { value: 'N', about: 'Start after this position (default 0: with all that is there).' },
    once: { about: 'Stop at the end of what is there.' },
    inputs: { about: 'Print what each model call was asked, too.' },
    json: { about: 'Print the envelopes as JSON lines.' },
  },
  details: `Without --url the Clewline that was started in this directory is asked, or ${DEFAULT_URL}. When the
connection breaks it is made again, and nothing is lost.`,
  examples: [
    'clewline watch my-thread',
    'clewline watch my-thread --inputs',
    'clewline watch my-thread --once --json | clewline verify -',
  ],
  async run(given, io) {
    const [thread_id = ''] = given.positionals
    const { remoteTarget } = await import('./remote-target.ts')
    const target = remoteTarget(await serverOf(given, io), tokenOf(given, io))
    await target.last(thread_id)
    const show = createShow(
      {
        isJson: given.flag('json'),
        isQuiet: false,
        hasInputs: given.flag('inputs'),
        activity: 'stdout',
      },
      io,
    )
    const follow = !given.flag('once')
    for await (const entries of target.read(thread_id, {
      after: given.number('after') ?? 0,
      follow,
      signal: io.signal,
    })) {
      for (const entry of entries) await show.push(entry)
    }
    await show.end()
    return EXIT.done
  },
}
