import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ClewlineError, isRecord } from '@clewline/core'
import { messageOf } from '../events/delivery.ts'
import { assertKey } from '../prompt/section.ts'
import type { SectionPath } from '../visibility.ts'
import type { OverridesKey, OverridesStore, SectionOverride } from './overrides-store.ts'

const suffix = '.json'

/** Edits as files, `{ns}/{key}/{tag}/{section}.json`, that can be kept in version control. Writes are atomic. */
export function directoryOverrides(directory: string): OverridesStore {
  if (typeof directory !== 'string' || directory === '')
    throw new ClewlineError('bad-config', 'Overrides need the path of a directory.', {
      hint: 'directoryOverrides("prompt-overrides")',
    })
  const folderOf = ({ ns, key, tag }: OverridesKey): string => {
    // Keys begin with a letter or digit and have no slash, so none of them leads out of the directory.
    for (const [what, value] of Object.entries({ ns, key, tag })) assertKey(value, `the ${what} of overrides`)
    return join(directory, ns, key, tag)
  }
  const fileOf = (of: OverridesKey, path: SectionPath): string => {
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(path))
      throw new ClewlineError('bad-request', `"${path}" is no path of a section.`, {
        hint: 'Join keys by dots: "task.docs".',
      })
    return join(folderOf(of), `${path}${suffix}`)
  }
  return {
    async load(of) {
      const folder = folderOf(of)
      const files = (await namesIn(folder)).filter((name) => name.endsWith(suffix))
      const entries = files.map(async (name) => {
        const override = await read(join(folder, name))
        return [name.slice(0, -suffix.length), override] as const
      })
      return Object.fromEntries(await Promise.all(entries))
    },
    async save(of, path, override) {
      const file = fileOf(of, path)
      await mkdir(folderOf(of), { recursive: true })
      // Renamed into place: a reader sees the old text or the new one, never half of it.
      const draft = `${file}.${randomUUID()}.tmp`
      await writeFile(draft, `${JSON.stringify({ version: 1, ...override }, undefined, 2)}\n`)
      await rename(draft, file)
    },
    remove: (of, path) => rm(fileOf(of, path), { force: true }),
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isRecord(error) && error['code'] === 'ENOENT') return []
    throw error
  }
}

async function read(file: string): Promise<SectionOverride> {
  const text = await readFile(file, 'utf8')
  const value = parse(text, file)
  if (!isRecord(value) || value['version'] !== 1) throw damaged(file, 'it is of another version')
  const { expectedHash, template, summary } = value
  if (typeof expectedHash !== 'string' || typeof template !== 'string')
    throw damaged(file, 'expectedHash and template must be text')
  if (summary !== undefined && typeof summary !== 'string') throw damaged(file, 'summary must be text')
  return { expectedHash, template, ...(summary !== undefined && { summary }) }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw damaged(file, messageOf(cause), cause)
  }
}

function damaged(file: string, reason: string, cause?: unknown): ClewlineError {
  return new ClewlineError('bad-file', `The override in ${file} cannot be read: ${reason}.`, {
    hint: 'Correct the file, or delete it: the section is then as it is in the program.',
    cause,
  })
}
