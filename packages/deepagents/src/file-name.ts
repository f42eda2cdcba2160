import { cutText } from './cut-text.ts'

const MAX_NAME_LENGTH = 200

/** Control characters, NUL first of all, halves of characters, line separators, and what turns the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Why a name cannot be a file's, in a sentence for the model, or undefined when it can. Names are flat. */
export function refuseFileName(name: string): string | undefined {
  const shown = JSON.stringify(name.length > 60 ? `${cutText(name, 60)}…` : name)
  if (name.trim() === '') return 'A file needs a name, such as notes.md.'
  if (name.length > MAX_NAME_LENGTH) {
    return `The file name ${shown} has ${name.length} characters; at most ${MAX_NAME_LENGTH} are allowed.`
  }
  if (name.includes('/') || name.includes('\\')) {
    const flat = name.split(/[/\\]+/).findLast((part) => part !== '' && part !== '..' && part !== '.')
    const hint = flat === undefined ? '' : ` Use a flat name such as ${JSON.stringify(flat)}.`
    return `The file name ${shown} is a path, and the workspace has no directories.${hint}`
  }
  if (name.includes('..')) return `The file name ${shown} contains "..", which is not allowed.`
  if (UNPRINTABLE.test(name)) return `The file name ${shown} contains control characters.`
  // A plain object cannot hold it as a key of its own in every runtime that copies state.
  if (name === '__proto__') return `The file name ${shown} is reserved.`
  return undefined
}
