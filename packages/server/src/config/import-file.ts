import { ClewlineError } from '@clewline/core'
import { createJiti } from 'jiti'

/** Loads a module, TypeScript included. What it throws is reported with the file's name. */
export function importFile(file: string): Promise<unknown> {
  return loading(file, () => createJiti(import.meta.url, { interopDefault: false }).import(file))
}

/** Runs code of a user's file; what it throws is reported in a sentence, with the place. */
export async function loading<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ClewlineError) throw error
    throw new ClewlineError('bad-config', `${file} cannot be loaded: ${messageOf(error)}${placeOf(error)}`, {
      hint: 'Mend it there; a module that is not found must be installed or its path be right.',
      cause: error,
    })
  }
}

/** Without Node's list of who asked for a missing module. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\nRequire stack:')[0] ?? ''
}

/** Where it was thrown, unless that is in a package or in Node. */
function placeOf(error: unknown): string {
  const [frame = ''] = error instanceof Error ? (error.stack?.match(/^ {4}at .*$/m) ?? []) : []
  const place = /\(?((?:file:\/\/)?\/?[^()]+:\d+:\d+)\)?$/.exec(frame.replace(/^ {4}at /, ''))?.[1]
  return place === undefined || /node_modules|^node:/.test(place) ? '' : ` (${place.split(' ').at(-1)})`
}
