import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ClewlineError, type Entry } from '@clewline/core'
import { type Encoded, logEncoder } from '../log/encode-envelope.ts'
import { partLine } from '../log/frames.ts'
import { EXIT, type Command, type Given } from './command.ts'
import { write, writeAll, type Io } from './io.ts'
import { serverOf } from './noted-server.ts'
import { DEFAULT_URL, SERVER_OPTIONS, tokenOf, urlOf } from './shared-options.ts'
import type { Target } from './target.ts'

/** `clewline export THREAD` */
export const exportThread: Command = {
  name: 'export',
  summary: 'Write the whole log of a thread as JSONL.',
  args: 'THREAD',
  options: {
    ...SERVER_OPTIONS,
    store: { value: 'DIR', about: 'Read this store instead of asking a server.' },
    out: { value: 'FILE', short: 'o', about: 'Write to a file instead of standard output.' },
    json: { about: 'The default: one envelope or part per line.' },
  },
  details: `Without --store a running Clewline is asked (the one that was started in this directory, or
${DEFAULT_URL}), and if none has the thread, the store .clewline in this directory is read. The file
can be checked with clewline verify, shown with clewline replay, and imported with POST /api/threads/import.`,
  examples: [
    'clewline export my-thread > run.jsonl',
    'clewline export my-thread --store .clewline -o run.jsonl',
  ],
  async run(given, io) {
    const file = given.text('out')
    let count = 0
    // With parts, as over HTTP: a conversation with whole values would grow with the square of its turns.
    const encode = logEncoder()(new Set())
    async function* lines(): AsyncGenerator<string> {
      for await (const entries of history(given, io)) {
        count += entries.length
        yield entries.map(({ envelope }) => linesOf(encode(envelope))).join('')
      }
    }
    await writeAll(lines(), file, io)
    if (file !== undefined) await write(io.stderr, `${count} envelopes written to ${file}\n`)
    return EXIT.done
  },
}

const linesOf = ({ json, parts }: Encoded): string => `${[...parts.map(partLine), json].join('\n')}\n`

async function* history(given: Given, io: Io): AsyncGenerator<readonly Entry[]> {
  const [thread_id = ''] = given.positionals
  const folder = given.text('store') ?? (await fallback(given, io))
  if (folder !== undefined) {
    yield* storedHistory(folder, thread_id, io)
    return
  }
  const target = await targetOf(given, io)
  await target.last(thread_id)
  yield* target.read(thread_id, { after: 0, follow: false, signal: io.signal })
}

async function targetOf(given: Given, io: Io): Promise<Target> {
  const { remoteTarget } = await import('./remote-target.ts')
  return remoteTarget(await serverOf(given, io), tokenOf(given, io))
}

/** The store of this directory, when no place was named and no server has the thread: that is where `clewline run` left it. */
async function fallback(given: Given, io: Io): Promise<string | undefined> {
  const folder = join(io.cwd, '.clewline')
  if (urlOf(given, io) !== undefined || !existsSync(folder)) return undefined
  const target = await targetOf(given, io)
  try {
    await target.last(given.positionals[0] ?? '')
    return undefined
  } catch (error) {
    const isElsewhere =
      error instanceof ClewlineError && (error.code === 'unavailable' || error.code === 'not-found')
    return isElsewhere ? folder : undefined
  }
}

async function* storedHistory(folder: string, thread_id: string, io: Io): AsyncGenerator<readonly Entry[]> {
  // To look into a store must not make one.
  if (!folder.includes('://') && !existsSync(folder)) {
    throw new ClewlineError('not-found', `There is no store in ${folder}.`, { hint: 'Check --store.' })
  }
  const [{ openStore }, { segmentLog }] = await Promise.all([
    import('../store/open-store.ts'),
    import('../log/segment-log.ts'),
  ])
  const store = await openStore(folder)
  try {
    if ((await store.threads.get(thread_id)) === null) {
      throw new ClewlineError('not-found', `There is no thread "${thread_id}" in ${folder}.`, {
        hint: 'Check the id and --store.',
      })
    }
    yield* segmentLog(store.segments).read(thread_id, { follow: false, signal: io.signal })
  } finally {
    await store.close()
  }
}
