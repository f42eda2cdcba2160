import { type Json, ClewlineError } from '@clewline/core'
import type { Answer } from '@clewline/core/source'
import { answerTo } from '@clewline/core/view'
import { answerOf, ask } from './ask.ts'
import { EXIT, usageError, type Command, type Given } from './command.ts'
import { followRun } from './follow-run.ts'
import { openText, write, type Io } from './io.ts'
import { notedServer } from './noted-server.ts'
import { SERVER_OPTIONS, STORE_OPTIONS, tokenOf, urlOf } from './shared-options.ts'
import type { RunState, Target, StartRun } from './target.ts'
import { createShow, type Show } from './show.ts'

/** `clewline run AGENT MESSAGE` */
export const run: Command = {
  name: 'run',
  summary: 'Run an agent and watch it work.',
  args: 'AGENT [MESSAGE]',
  options: {
    thread: { value: 'ID', short: 't', about: 'Go on with this thread (default: a new one).' },
    input: { value: 'JSON', about: 'Input other than a message.' },
    resume: { value: 'ANSWER', about: 'Answer the question that the thread waits on: JSON, or text.' },
    ...SERVER_OPTIONS,
    ...STORE_OPTIONS,
    quiet: { short: 'q', about: 'Print the answer only.' },
    json: { about: 'Print the envelopes as JSON lines.' },
  },
  details: `Without --url the agent runs in this process, with the same store that clewline start uses; while a server
has that store, it runs there. On a terminal
you see a living tree, and a question of the agent is put to you; otherwise what happens is printed on
standard error and the answer is printed on standard output. MESSAGE - is read from standard input.
Ctrl-C cancels the run. Exit code 0 done, 1 failed, 2 wrong usage, 3 the run waits for an answer.`,
  examples: [
    'clewline run research "Is tea older than coffee?"',
    'clewline run research - < question.txt > answer.md',
    'clewline run chat --thread t1 --resume \'{"decisions":[{"type":"approve"}]}\'',
    'clewline run chat "Hello" --url http://127.0.0.1:8123 --json | clewline verify -',
  ],
  async run(given, io) {
    let wanted = await startOf(given, io)
    const target = await openTarget(given, io)
    try {
      const thread_id = await target.thread(given.text('thread'))
      const show = createShow(
        { isJson: given.flag('json'), isQuiet: given.flag('quiet'), activity: 'stderr' },
        io,
      )
      for (;;) {
        const { run_id, position } = await target.start(thread_id, wanted)
        const state = await followRun(target, { thread_id, run_id, position }, show, io.signal)
        const resume = state.status === 'interrupted' ? await answers(given, io, show) : null
        if (resume === null) {
          await show.end()
          return await tell(state, { thread_id, agent: wanted.agent }, given, io)
        }
        wanted = { agent: wanted.agent, resume }
      }
    } finally {
      await target.close()
    }
  },
}

async function openTarget(given: Given, io: Io): Promise<Target> {
  const url = urlOf(given, io)
  if (url !== undefined) {
    const { remoteTarget } = await import('./remote-target.ts')
    return remoteTarget(url, tokenOf(given, io))
  }
  const [{ createClewline }, { localTarget }, { configOf }] = await Promise.all([
    import('../create-clewline.ts'),
    import('./local-target.ts'),
    import('./open-clewline.ts'),
  ])
  const config = await configOf(given, io)
  try {
    // What fails is shown where it failed; a log between the lines of the tree would only tear it.
    return localTarget(await createClewline({ onFailure: () => {}, ...config }))
  } catch (error) {
    const isTaken = error instanceof ClewlineError && error.code === 'conflict'
    const server = isTaken ? await notedServer(config.store) : undefined
    // Which model it runs on is the server's to say.
    if (server === undefined || given.text('model') !== undefined) throw error
    if (!given.flag('quiet')) await write(io.stderr, `The agent runs in the server at ${server}.\n`)
    const { remoteTarget } = await import('./remote-target.ts')
    return remoteTarget(server, tokenOf(given, io) ?? config.token)
  }
}

async function startOf(given: Given, io: Io): Promise<StartRun> {
  const [agent = '', message] = given.positionals
  const input = given.text('input')
  const resume = given.text('resume')
  if ([message, input, resume].filter((one) => one !== undefined).length !== 1) {
    throw usageError(
      'One of MESSAGE, --input and --resume must say what to do.',
      `For example: clewline run ${agent} "Hello".`,
    )
  }
  if (resume !== undefined) return { agent, resume: [{ value: answerOf(resume) }] }
  if (input !== undefined) return { agent, input: parsedInput(input) }
  const content = message === '-' ? await wholeText(io) : (message ?? '')
  return { agent, input: { messages: [{ role: 'user', content }] } }
}

function parsedInput(text: string): Json {
  try {
    const json: Json = JSON.parse(text)
    return json
  } catch (error) {
    throw usageError(
      `--input is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      'Quote it with single quotes.',
    )
  }
}

async function wholeText(io: Io): Promise<string> {
  const pieces: string[] = []
  for await (const piece of await openText('-', io)) pieces.push(piece)
  return pieces.join('').trim()
}

/** Null when the session is not interactive. */
async function answers(
  given: Given,
  io: Io,
  show: Show,
): Promise<Extract<StartRun, { resume: unknown }>['resume'] | null> {
  const isAsked =
    io.stdin.isTTY === true && io.stdout.isTTY === true && !given.flag('json') && !given.flag('quiet')
  if (!isAsked || io.signal.aborted) return null
  show.pause?.()
  const said: Answer[] = []
  for (const interrupt of show.view().interrupts) {
    const value = await ask(interrupt, io)
    if (value === null) return null
    said.push(answerTo(interrupt, value))
  }
  return said.length === 0 ? null : said
}

async function tell(
  state: RunState,
  { thread_id, agent }: { readonly thread_id: string; readonly agent: string },
  given: Given,
  io: Io,
): Promise<number> {
  const say = (text: string): Promise<void> =>
    given.flag('json') ? Promise.resolve() : write(io.stderr, `${text}\n`)
  switch (state.status) {
    case 'success':
      if (!given.flag('quiet')) await say(`thread ${thread_id}`)
      return EXIT.done
    case 'interrupted':
      await say(
        `clewline: the run waits for an answer.\n  clewline run ${agent} --thread ${thread_id}${where(given)} --resume ANSWER`,
      )
      return EXIT.waiting
    case 'error':
      await say(
        `clewline: the run failed: ${state.error?.message ?? 'no reason given'}\n  thread ${thread_id}`,
      )
      return EXIT.failed
    case 'cancelled':
      await say(`clewline: the run was cancelled.\n  thread ${thread_id}`)
      return io.signal.aborted ? EXIT.stopped : EXIT.failed
    case 'pending':
    case 'running':
      return EXIT.failed
  }
}

/** The options that lead to the same thread again. */
function where(given: Given): string {
  return ['url', 'store', 'config']
    .flatMap((name) => given.text(name)?.replace(/^/, ` --${name} `) ?? [])
    .join('')
}
