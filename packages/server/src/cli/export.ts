import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { SkeinError, type Entry } from '@skein/core'
import { EXIT, type Command, type Given } from './command.ts'
import { write, writeJson, type Io } from './io.ts'
import { DEFAULT_URL, SERVER_OPTIONS, tokenOf, urlOf } from './service.ts'

/** `skein export THREAD` */
export const exportThread: Command = {
  name: 'export',
  summary: 'Write the whole log of a thread as JSONL.',
  args: 'THREAD',
  options: {
    ...SERVER_OPTIONS,
    store: { value: 'DIR', about: 'Read this store instead of asking a server.' },
    out: { value: 'FILE', short: 'o', about: 'Write to a file instead of standard output.' },
    json: { about: 'The default: one envelope per line.' },
  },
  details: `Without --store a running Skein is asked (default ${DEFAULT_URL}). The file can be checked with
skein verify, shown with skein replay, and imported with POST /api/threads/import.`,
  examples: ['skein export my-thread > run.jsonl', 'skein export my-thread --store .skein -o run.jsonl'],
  async run(given, io) {
    const file = given.text('out')
    const out = file === undefined ? io.stdout : createWriteStream(file)
    let count = 0
    for await (const { envelope } of history(given, io)) {
      await writeJson(out, envelope)
      count += 1
    }
    if (file !== undefined) {
      out.end()
      await once(out, 'close')
      await write(io.stderr, `${count} envelopes written to ${file}\n`)
    }
    return EXIT.done
  },
}

async function* history(given: Given, io: Io): AsyncGenerator<Entry> {
  const [thread_id = ''] = given.positionals
  const folder = given.text('store')
  if (folder === undefined) {
    const { remoteService } = await import('./remote-service.ts')
    const service = remoteService(urlOf(given, io) ?? DEFAULT_URL, tokenOf(given, io))
    await service.last(thread_id)
    yield* service.read(thread_id, { after: 0, follow: false, signal: io.signal })
    return
  }
  const [{ openStore }, { segmentLog }] = await Promise.all([
    import('../store/open-store.ts'),
    import('../log/segment-log.ts'),
  ])
  const store = await openStore(folder)
  try {
    if ((await store.threads.get(thread_id)) === null) {
      throw new SkeinError('not-found', `There is no thread "${thread_id}" in ${folder}.`, {
        hint: 'Check the id and --store.',
      })
    }
    yield* segmentLog(store.segments).read(thread_id, { follow: false, signal: io.signal })
  } finally {
    await store.close()
  }
}
