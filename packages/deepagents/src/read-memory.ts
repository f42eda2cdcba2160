import { readFile } from 'node:fs/promises'
import { cutText } from './cut-text.ts'

const MAX_LENGTH = 40_000

/**
 * What the files of memory say now, for the system prompt: read before every model call, so that what an agent or a
 * person has written is known in the next turn. A file that is not there yet is left out.
 */
export async function readMemory(paths: readonly string[]): Promise<string> {
  const parts = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, 'utf8').catch(() => '')
      return text.trim() === '' ? [] : [`## Memory: ${path}\n${cutText(text.trim(), MAX_LENGTH)}`]
    }),
  )
  return parts.flat().join('\n\n')
}
