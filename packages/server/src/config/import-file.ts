import { SkeinError } from '@skein/core'
import { createJiti } from 'jiti'

/** Loads a module, TypeScript included. What it throws is told with the file's name. */
export async function importFile(file: string): Promise<unknown> {
  try {
    return await createJiti(import.meta.url, { interopDefault: false }).import(file)
  } catch (error) {
    throw new SkeinError('bad-config', `${file} cannot be loaded: ${messageOf(error)}`, {
      hint: 'Run it by itself to see the whole error.',
      cause: error,
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
