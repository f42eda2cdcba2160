import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ClewlineError } from '@clewline/core'
import { EXIT, type Command } from './command.ts'
import { write, writeJson } from './io.ts'

/** `clewline vacuum` */
export const vacuum: Command = {
  name: 'vacuum',
  summary: 'Give the space of deleted threads in a SQLite store back to the disk (VACUUM).',
  args: '',
  options: {
    store: { value: 'DIR', about: 'The directory of the store (default .clewline).' },
    json: { about: 'Print {bytes_before, bytes_after} as one JSON line.' },
  },
  details: `It does SQLite's VACUUM: the file is written anew, so that the disk needs room for a second copy, and the server
must be stopped meanwhile. Stores of this version shrink by themselves; one from an earlier version does from then on.`,
  examples: ['clewline vacuum', 'clewline vacuum --store ./data'],
  async run(given, io) {
    const name = given.text('store') ?? '.clewline'
    if (name === ':memory:' || name.includes('://')) {
      throw new ClewlineError(
        'bad-request',
        `"${name.split('://', 1)[0]}" is not a SQLite store in a directory.`,
        {
          hint: 'Postgres vacuums itself; a store in memory has no file.',
        },
      )
    }
    const folder = resolve(io.cwd, name)
    if (!existsSync(join(folder, 'clewline.db'))) {
      throw new ClewlineError('not-found', `There is no store in ${folder}.`, { hint: 'Check --store.' })
    }
    const { vacuumStore } = await import('../store/sqlite/vacuum-store.ts')
    const { bytesBefore, bytesAfter } = vacuumStore(folder)
    if (given.flag('json')) await writeJson(io.stdout, { bytes_before: bytesBefore, bytes_after: bytesAfter })
    else
      await write(io.stdout, `${folder}: ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now.\n`)
    return EXIT.done
  },
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
